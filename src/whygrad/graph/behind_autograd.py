"""Writes through ``.data`` to a tensor that an operation had kept for its backward, before that backward ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Operations that keep what they give, and those that keep what they are given.
_KEEP_RESULT = {
    "sigmoid",
    "tanh",
    "exp",
    "softmax",
    "log_softmax",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "elu",
    "sinh",
}
_KEEP_GIVEN = {
    "mul", "__mul__", "__rmul__", "matmul", "__matmul__", "mm", "bmm", "linear", "conv1d", "conv2d", "conv3d", "pow",
    "__pow__", "log", "sin", "cos", "square", "div", "__truediv__", "gelu", "silu", "batch_norm", "layer_norm",
    "mse_loss", "addmm", "einsum", "softplus", "abs", "prod", "norm",
}  # fmt: skip

_IN_PLACE = {"__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__"}


class Hidden(NamedTuple):
    """A write (an operation or an event: its stack and name) to a value that operation ``saver`` had kept."""

    stack: int
    name: str
    saver: int
    backward: int
    param: int


def hidden_writes(graph: Graph) -> list[Hidden]:
    """Those that backward could not notice, one for each place."""
    found: dict[int, Hidden] = {}
    for index, op in enumerate(graph.trace.ops):
        name = graph.flow.kind(index).name
        in_place = name in _IN_PLACE or (name.endswith("_") and not name.endswith("__"))
        if not op.ins or not in_place:
            continue
        made = graph.trace.values[op.ins[0]].op
        if made < 0 or graph.flow.kind(made).name != "data":
            continue
        written = graph.trace.ops[made].ins[0]
        saver = _saver(graph, written, op.tick)
        backward = _needed(graph, saver, op.tick)
        if saver >= 0 and backward >= 0:
            stack = graph.flow.kind(index).stack
            found.setdefault(stack, Hidden(stack, name, saver, backward, graph.trace.values[written].param))
    return list(found.values())


def _saver(graph: Graph, value: int, tick: int) -> int:
    """The operation that had kept a value when it was written, -1 if none had."""
    own = graph.trace.values[value]
    if own.op >= 0 and graph.flow.kind(own.op).name in _KEEP_RESULT and own.requires_grad:
        return own.op
    vids = graph.flow.values_of.get(own.param, [value]) if own.param >= 0 else [value]
    for vid in vids:
        for op in reversed(graph.flow.consumers.get(vid, ())):
            own_op = graph.trace.ops[op]
            if own_op.tick < tick and graph.flow.kind(op).name in _KEEP_GIVEN and _wanted(graph, op, vid):
                return op
    return -1


def _wanted(graph: Graph, op: int, vid: int) -> bool:
    """Whether another operand of the operation needs a gradient, for which this one is kept."""
    others = [graph.trace.values[v] for v in graph.trace.ops[op].ins if v != vid]
    alone = graph.trace.values[vid].requires_grad and len(graph.trace.ops[op].ins) == 1
    return alone or any(
        v.requires_grad or (v.param >= 0 and graph.trace.params[v.param].requires_grad) for v in others
    )


def _needed(graph: Graph, saver: int, tick: int) -> int:
    """The first backward after the write that goes through the operation, if none had gone through it before."""
    if saver < 0:
        return -1
    outs = set(graph.trace.ops[saver].outs)
    for index, backward in enumerate(graph.trace.backwards):
        if backward.kind == "backward" and not outs.isdisjoint(graph.flow.loss_histories[index]):
            return index if backward.tick > tick else -1
    return -1
