"""How the loss goes, beside that of a guess, and what became of the hidden units: the harm that a scale can do."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.finding import Site
    from whygrad.graph.chain import Graph

_LARGEST = 3e38  #: of float32: where a loss was before it became infinite
_TIMES = 10.0  #: of the first loss: more is divergence
BOUND = ("sigmoid", "tanh", "hardtanh", "hardsigmoid")


def series(graph: Graph) -> list[float]:
    """The losses of the place that called backward most often, without the factor of a GradScaler."""
    scales = [(e.tick, e.data.get("scale")) for e in graph.updates.events.get("scale", ())]
    places: dict[int, list[float]] = {}
    before = -1
    for backward in graph.trace.backwards:
        if backward.kind == "backward" and backward.loss is not None:
            factor = next((f for tick, f in scales if before < tick < backward.tick), None)
            loss = (
                backward.loss / factor if isinstance(factor, (int, float)) and factor > 0 else backward.loss
            )
            places.setdefault(backward.stack, []).append(loss)
        before = backward.tick
    return max(places.values(), key=len, default=[])


def guess(graph: Graph) -> t.Level | None:
    """The loss of a guess that ignores the input, where one known loss function makes the whole loss."""
    losses, levels = series(graph), graph.trace.learning.levels
    for level in levels:
        if losses and level.guess > 0 and math.isclose(level.value, losses[0], rel_tol=0.05):
            return level
    return None


def diverges(losses: list[float]) -> bool:
    """Whether the loss became infinite or NaN and stayed so (one mean of nothing is no divergence), or rose to many times
    its first value and stayed there."""
    if len(losses) < 3 or not math.isfinite(losses[0]):
        return False
    if not math.isfinite(losses[-1]) and not any(math.isfinite(x) for x in losses[-2:]):
        return True
    losses = [x for x in losses if math.isfinite(x)]
    late = statistics.median(losses[-3:])
    return losses[0] > 0 and late > _TIMES * losses[0]


def growth(losses: list[float]) -> float:
    """By how much a diverging loss was multiplied in each step, on the average until its greatest value."""
    end = next((i for i, x in enumerate(losses) if not math.isfinite(x)), len(losses) - 1)
    peak = _LARGEST if not math.isfinite(losses[end]) else max(losses)
    steps = max(1, end if not math.isfinite(losses[end]) else losses.index(peak))
    return (peak / losses[0]) ** (1 / steps) if losses[0] > 0 else math.inf


def flat_units(activity: t.Activity) -> tuple[float, float]:
    """The share of flat units in the first pass, and in the last ones (the least of two)."""
    return activity.flat[0], min(activity.flat[-2:])


def behind(graph: Graph, op: int, within: int = 400) -> set[int]:
    """The operations of the same pass that work on what ``op`` gave."""
    found = set[int]()
    stack = list(graph.trace.ops[op].outs)
    while stack and len(found) < within:
        for user in graph.flow.consumers.get(stack.pop(), ()):
            if user not in found:
                found.add(user)
                stack += graph.trace.ops[user].outs
    return found


def holders_before(graph: Graph, op: int) -> list[t.Optimizer]:
    """The optimizers that hold parameters which ``op`` works on, directly or through a few operations."""
    found: dict[int, None] = {}
    stack, seen = [op], set[int]()
    while stack and len(seen) < 60:
        now = stack.pop()
        seen.add(now)
        for vid in graph.trace.ops[now].ins:
            value = graph.trace.values[vid]
            found.update((o, None) for o, _ in graph.updates.holders.get(value.param, ()))
            if value.op >= 0 and value.param < 0 and value.op not in seen:
                stack.append(value.op)
    return [graph.trace.optimizers[o] for o in found]


def stepped_by(graph: Graph, op: int) -> list[Site]:
    """Where those optimizers were made."""
    return [s for o in holders_before(graph, op) for s in graph.sites(o.created, "optimizer", 0)]


def pace(graph: Graph, param: int) -> list[float]:
    """By how much of its size each step moved a parameter."""
    return [
        r.update / r.norm
        for _, r in graph.updates.rows.get(param, ())
        if r.norm > 0 and math.isfinite(r.norm)
    ]


def matrices(graph: Graph) -> list[int]:
    """The weights (not biases, not scales) that optimizers move."""
    return [i for i in graph.updates.holders if len(graph.trace.params[i].shape) > 1 and pace(graph, i)]
