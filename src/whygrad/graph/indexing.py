"""Look-ups by number: what was looked up where, and whether a number lies outside of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_SIZE = re.compile(r"with size (\d+)")
_WHOLE = ("int", "uint")
_LOSSES = ("cross_entropy", "nll_loss")
_TABLES = ("embedding", "embedding_bag")
_ALONG = (
    "gather",
    "index_select",
    "take_along_dim",
    "scatter",
    "scatter_",
    "scatter_add",
    "scatter_add_",
    "index_add_",
)


class Lookup:
    """One look-up: the index (its least and greatest element where known) and how many there are to choose from.
    ``table`` is the parameter that was looked up in (-1: none), ``classes``: the index are targets of a loss."""

    __slots__ = ("call", "classes", "index", "limit", "stack", "table")

    def __init__(self, call: str, stack: int, index: t.Given, limit: int, table: int, classes: bool) -> None:
        self.call, self.stack, self.index, self.limit = call, stack, index, limit
        self.table, self.classes = table, classes

    @property
    def low(self) -> float | None:
        """The least element."""
        return self.index.low

    @property
    def high(self) -> float | None:
        """The greatest element."""
        return self.index.high

    def outside(self) -> bool:
        """Whether a number is known to lie outside (negative targets may be ignored ones)."""
        return self.high is not None and self.high >= self.limit


def from_call(graph: Graph, error: t.Raised) -> Lookup | None:
    """The look-up that raised."""
    found = _lookup(error.call, error.stack, error.tensors, error.args)
    size = _SIZE.search(error.message)
    if found is None and size:
        limit = int(size.group(1))
        tries = [
            Lookup(error.call, error.stack, g, limit, -1, False)
            for g in error.tensors[1:]
            if g.dtype.startswith(_WHOLE)
        ]
        found = next((one for one in tries if one.outside()), tries[0] if tries else None)
    elif found is not None and size:
        found.limit = int(size.group(1))
    return found


def lookups(graph: Graph) -> Iterator[Lookup]:
    """Look-ups by number among the recorded operations, the last one first."""
    trace = graph.trace
    for op in reversed(trace.ops):
        kind = trace.kinds[op.kind]
        if kind.name in (*_LOSSES, *_TABLES, *_ALONG):
            found = _lookup(kind.name, kind.stack, [_given(v, trace.values[v]) for v in op.ins], kind.args)
            if found is not None:
                yield found


def from_operations(graph: Graph) -> Iterator[Lookup]:
    """Those of them whose index is known to go too far."""
    yield from (found for found in lookups(graph) if found.outside())


def _given(vid: int, value: t.Value) -> t.Given:
    return t.Given(
        "",
        vid,
        value.param,
        value.shape,
        value.dtype,
        "",
        value.requires_grad,
        value.leaf,
        value.created,
        value.low,
        value.high,
    )


def _lookup(call: str, stack: int, tensors: Sequence[t.Given], args: Mapping[str, str]) -> Lookup | None:
    numbers = [g for g in tensors if g.dtype.startswith(_WHOLE)]
    if call == "one_hot" and numbers:
        count = args.get("num_classes", "")
        return Lookup(call, stack, numbers[0], int(count) if count.isdigit() else 0, -1, True)
    others = [g for g in tensors if g not in numbers and g.shape]
    if not numbers or not others:
        return None
    index, source = numbers[-1 if call in _ALONG else 0], others[0]
    if call in _LOSSES:
        return Lookup(call, stack, index, source.shape[1 if len(source.shape) > 1 else 0], source.param, True)
    if call in _TABLES:
        return Lookup(call, stack, index, source.shape[0], source.param, False)
    if call in _ALONG:
        dim = args.get("dim", args.get("1", "0"))
        along = int(dim) if dim.lstrip("-").isdigit() else 0
        if -len(source.shape) <= along < len(source.shape):
            return Lookup(call, stack, index, source.shape[along], source.param, False)
    return None
