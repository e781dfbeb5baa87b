"""Where the score of each sample's own class is picked by hand: ``gather``, or an index of two tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.graph.losing import counts
from whygrad.graph.sources import name_of

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


def picks(graph: Graph) -> Iterator[tuple[int, int]]:
    """(value that is picked from, stack), once for each place that counts in a loss."""
    seen: set[int] = set()
    for index, op in enumerate(graph.trace.ops):
        if op.kind in seen or not op.ins:
            continue
        value = graph.trace.values[op.ins[0]]
        if len(value.shape) != 2 or not value.requires_grad or not _picks(graph, index):
            continue
        if counts(graph, index):
            seen.add(op.kind)
            yield op.ins[0], graph.flow.kind(index).stack


def _picks(graph: Graph, index: int) -> bool:
    op, name, args = graph.trace.ops[index], name_of(graph, index), graph.flow.kind(index).args
    rows = graph.trace.values[op.ins[0]].shape[0]
    out = graph.trace.values[op.outs[0]].shape if op.outs else ()
    if name in ("gather", "take_along_dim"):
        return args.get("1", args.get("dim", args.get("2", ""))) in ("1", "-1") and out == (rows, 1)
    # x[range(n), labels]: torch hears of one or two index tensors, and a row for each sample comes out
    return name == "getitem" and len(op.ins) > 1 and out == (rows,) and args.get("1") == "..."
