"""Steps that turned finite weights and finite gradients into NaN or infinity: the optimizer's own arithmetic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: The least number above 0 in each dtype; half of it is rounded to 0.
_TINY = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 5e-324}
_NO_EPS = 1e-8  #: what Adam and its kin take where the group does not tell


class Overstep(NamedTuple):
    """The first step that did so: its number, the optimizer's, and the parameters."""

    step: int
    optimizer: int
    params: tuple[int, ...]


def overstep(graph: Graph) -> Overstep | None:
    """The first such step, if all gradients and weights were finite before it."""
    for index, step in enumerate(graph.trace.steps):
        if step.skipped or not step.params:
            continue
        if any(not _fine(r) for r in step.params):
            return None
        lost = [r.param for r in step.params if r.grad is not None and _spoilt(graph, index, r)]
        if lost:
            return Overstep(index, step.optimizer, tuple(lost))
    return None


def _fine(row: t.StepParam) -> bool:
    return math.isfinite(row.norm) and (row.grad is None or math.isfinite(row.grad))


def _spoilt(graph: Graph, step: int, row: t.StepParam) -> bool:
    """Whether the weights were not finite after it: seen by the size of the change, and by the next look at them."""
    if math.isfinite(row.update):
        return False
    later = [r for s, r in graph.updates.rows.get(row.param, ()) if s > step]
    if later:
        return not math.isfinite(later[0].norm)
    last = graph.trace.params[row.param].last
    return last is not None and not math.isfinite(last[0])


def vanishing_eps(graph: Graph, optimizer: int, param: int) -> float | None:
    """The eps that divides nothing: 0, or rounded to 0 in the dtype of a parameter; None if it holds."""
    own = graph.trace.optimizers[optimizer]
    group = next((g for g in own.groups if param in g.params), None)
    tiny = _TINY.get(graph.trace.params[param].dtype)
    if group is None or tiny is None:
        return None
    eps = group.options.get("eps", _NO_EPS if "beta2" in group.options else math.inf)
    return eps if eps <= tiny / 2 else None
