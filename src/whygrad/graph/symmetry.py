"""Units that are copies of each other: the same weights at the start, and still the same after training."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Operations whose weight has one row for each unit, those that have one column, and those with a slice for each expert.
_ROWS = {
    "linear", "conv1d", "conv2d", "conv3d", "lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell",
    "rnn_tanh_cell", "rnn_relu_cell", "bilinear", "multi_head_attention_forward", "t", "T", "mT", "transpose",
}  # fmt: skip
_COLUMNS = {
    "matmul", "__matmul__", "mm", "addmm", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
}  # fmt: skip
_STACKS = {"bmm", "baddbmm", "matmul", "__matmul__", "einsum"}
_GATES = 4  #: kinds of rows that a recurrent layer (4), a GRU or an attention (3) have


class Symmetric(NamedTuple):
    """A weight whose units are copies: how many units there are, and how many different ones."""

    param: int
    units: int
    kinds: int


def symmetric(graph: Graph) -> list[Symmetric]:
    """The weights that have trained, and whose units began alike and ended alike."""
    found = []
    for rows in graph.trace.learning.rows:
        alike = rows.last == 1 < rows.moved or (1 < rows.last <= _GATES and rows.moved >= 4 * rows.last)
        most = 2 * rows.moved >= rows.count and rows.last <= _kinds(graph, rows.param)
        if alike and most and graph.updates.trained(rows.param) and _units(graph, rows):
            found.append(Symmetric(rows.param, rows.moved, rows.last))
    # one layer of zeros among others is a common start (of a residual branch, an adapter, a last layer)
    zeros = [s for s in found if graph.trace.params[s.param].first in (None, (0.0, 0.0))]
    return [] if len(found) == len(zeros) == 1 else found


def barely_apart(graph: Graph) -> list[t.Rows]:
    """The weights that have trained and that were one and the same number at first, other than 0."""
    return [
        rows
        for rows in graph.trace.learning.rows
        if rows.constant and rows.count > 2 and graph.updates.trained(rows.param) and _units(graph, rows)
    ]


def _kinds(graph: Graph, param: int) -> int:
    """How many kinds of rows a layer has by its construction."""
    names = {graph.flow.kind(op).name.partition("_")[0] for op in graph.flow.uses(param)}
    return _GATES if names & {"lstm", "gru", "multi", "rnn"} else 1


def _units(graph: Graph, rows: t.Rows) -> bool:
    """Whether the slices along this dimension are the units, by what the weight is used for."""
    shape = graph.trace.params[rows.param].shape
    names = {graph.flow.kind(op).name for op in graph.flow.uses(rows.param)}
    if len(shape) == 3 and names & _STACKS:
        return rows.dim == 0
    if rows.dim == 0:
        return bool(names & _ROWS)
    return (
        bool(names & _COLUMNS) and not names & _ROWS and (_second(graph, rows.param) or "conv" in str(names))
    )


def _second(graph: Graph, param: int) -> bool:
    """Whether a weight is the second factor of its products: ``x @ w``, not ``w @ x``."""
    uses = [op for op in graph.flow.uses(param) if graph.flow.kind(op).name in _COLUMNS]
    return all(graph.trace.values[graph.trace.ops[op].ins[0]].param != param for op in uses)
