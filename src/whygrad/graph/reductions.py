"""Losses that were averaged to one number too early: before what should tell one sample from another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from whygrad.graph.plain import ELEMENTWISE, LOSSES, RESHAPES, SUMS, plain_name

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_BENDS = {"exp", "expm1", "sigmoid", "tanh"}
_FACTORS = {"mul", "multiply", "div", "divide", "truediv", "true_divide", "where", "masked_fill"}
_KEPT = {"to", "float", "double", "half", "clone", "contiguous"}
_SCALARS = {"neg", *_FACTORS, "add", "sub", "subtract", *_KEPT}
#: What a ratio of probabilities goes through, in the losses of policies.
_RATIOS = {"exp", "clamp", "clip", "min", "max", "minimum", "maximum"}


class Early:
    """A reduction (operation) to one number over ``n`` samples, and the operation that came too late. ``weights`` is the
    value with one element for each sample (-1: the loss was bent by its own exponential instead)."""

    __slots__ = ("backward", "late", "n", "reduction", "weights")

    def __init__(self, backward: int, reduction: int, late: int, n: int, weights: int = -1) -> None:
        self.backward, self.reduction, self.late, self.n, self.weights = backward, reduction, late, n, weights


def early(graph: Graph) -> list[Early]:
    """All of them on the way to a loss."""
    found = []
    for backward, history in enumerate(graph.flow.loss_histories):
        ops = sorted({graph.trace.values[v].op for v in history if graph.trace.values[v].param < 0} - {-1})
        for op in ops:
            samples = _samples(graph, op)
            if samples is None:
                continue
            n, shape = samples
            late = _bent(graph, op, history)
            if late >= 0:
                found.append(Early(backward, op, late, n))
                continue
            weighted = _weighted(graph, op, history, shape)
            if weighted is not None:
                found.append(Early(backward, op, weighted[0], n, weighted[1]))
    return found


def _samples(graph: Graph, op: int) -> tuple[int, tuple[int, ...]] | None:
    """If an operation takes the mean (or sum) of something over all samples: how many, and in which shape."""
    name = plain_name(graph.flow.kind(op).name)
    own = graph.trace.ops[op]
    values = graph.trace.values
    if name not in LOSSES | SUMS or not own.ins or any(values[v].shape for v in own.outs):
        return None
    if not all(values[v].requires_grad for v in own.outs):
        return None
    shape = values[own.ins[0]].shape
    if name in ("cross_entropy", "nll_loss"):
        shape = shape[:1] + shape[2:] if len(shape) > 1 else ()
    n = math.prod(shape)
    return (n, shape) if n > 1 else None


def _bent(graph: Graph, op: int, history: set[int]) -> int:
    """The first product of two numbers that both come from the reduction's result, one through an exponential; -1: none."""
    values, trace = graph.trace.values, graph.trace
    mine: dict[int, bool] = dict.fromkeys(trace.ops[op].outs, False)  # value -> whether it has been bent
    queue = list(mine)
    for vid in queue:
        for later in graph.flow.consumers.get(vid, ()):
            name = plain_name(graph.flow.kind(later).name)
            outs = [v for v in trace.ops[later].outs if v in history]
            if name not in ELEMENTWISE | _KEPT or not all(values[v].requires_grad for v in outs):
                continue
            bent = mine[vid] or name in _BENDS
            for out in outs:
                if values[out].shape == () and mine.get(out) is not True and mine.get(out) != bent:
                    mine[out] = bent
                    queue.append(out)
    for later in sorted({c for v in mine for c in graph.flow.consumers.get(v, ())}):
        name = plain_name(graph.flow.kind(later).name)
        ins = [v for v in dict.fromkeys(trace.ops[later].ins) if v in mine]
        kept = any(v in history and v in mine for v in trace.ops[later].outs)
        if name in ("mul", "multiply") and kept and len(ins) > 1 and any(mine[v] for v in ins):
            return later
    return -1


def _weighted(graph: Graph, op: int, history: set[int], shape: tuple[int, ...]) -> tuple[int, int] | None:
    """The product of the result with something that has one element for each sample, if that is only summed up then."""
    values, trace = graph.trace.values, graph.trace
    queue = list(trace.ops[op].outs)
    loss = plain_name(graph.flow.kind(op).name) in LOSSES
    for vid in queue:
        for later in graph.flow.consumers.get(vid, ()):
            name = plain_name(graph.flow.kind(later).name)
            outs = [v for v in trace.ops[later].outs if v in history]
            if name not in _SCALARS | _RATIOS or not outs or not all(values[v].requires_grad for v in outs):
                continue
            if values[outs[0]].shape == ():
                queue += [v for v in outs if v not in queue]
            elif name in _FACTORS:
                first = trace.ops[later].ins[0] == vid or name not in (
                    "div",
                    "divide",
                    "truediv",
                    "true_divide",
                )
                weights = [v for v in trace.ops[later].ins if v != vid and _fits(graph, v, shape, loss)]
                if weights and first and _only_summed(graph, later, history):
                    return later, weights[0]
    return None


def _fits(graph: Graph, vid: int, shape: tuple[int, ...], loss: bool) -> bool:
    """Whether a value has one element for each sample (or each part of it), and is no output that is trained."""
    value = graph.trace.values[vid]
    if value.param >= 0 or value.requires_grad or not (loss or value.op < 0 or vid in graph.flow.from_data):
        return False
    own = [n for n in value.shape if n != 1]
    want = [n for n in shape if n != 1]
    return bool(own) and bool(want) and own == want[: len(own)] and value.shape[0] == shape[0]


def _only_summed(graph: Graph, op: int, history: set[int]) -> bool:
    """Whether what an operation made is summed up to a number, with nothing between but arithmetic with numbers."""
    values, trace = graph.trace.values, graph.trace
    queue = [v for v in trace.ops[op].outs if v in history]
    for vid in queue:
        for later in graph.flow.consumers.get(vid, ()):
            outs = [v for v in trace.ops[later].outs if v in history]
            name = plain_name(graph.flow.kind(later).name)
            if outs and name not in SUMS | _SCALARS | _RATIOS | RESHAPES:
                return False
            queue += [v for v in outs if values[v].shape and v not in queue]
    return True


def made(graph: Graph, op: int) -> int:
    """The stack of the construction of the module that an operation ran in, -1 if the user's own code called it."""
    module = graph.trace.ops[op].module
    return graph.trace.learning.modules[module].created if module >= 0 else -1
