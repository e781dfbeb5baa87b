"""By which factor the gradient that a step used is that of all ranks together.

The sum of the first half of a gradient's elements (``LeafGrad.part``) is linear in the gradient. So the part that a step
found, over the sum of the parts that all ranks' backward passes brought, is 1 where gradients were added up, 1/world where
they were averaged, 1/world^2 where that was done twice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from whygrad import trace as t
from whygrad.graph.across import Across, Key

_AGREE = 0.02  #: by how much the factors of steps may differ from each other
_LEAST = 1e-3  #: of the norm: sums that are smaller tell nothing


def factor(across: Across, keys: Sequence[Key]) -> float | None:
    """The factor, over all steps of some parameters; None where they do not agree on one (gradients are not cleared, or
    changed in another way)."""
    found = []
    steps = min([len(across.history(key)[0]) for key in keys], default=0)
    for step in range(steps):
        top = bottom = 0.0
        for key in keys:
            pair = _parts(across, key, step)
            if pair is not None:
                top += pair[0] * pair[1]
                bottom += pair[1] * pair[1]
        if bottom:
            found.append(top / bottom)
    if len(found) < 3 or not median(found):
        return None
    middle = median(found)
    close = [one for one in found if abs(one - middle) <= _AGREE * abs(middle)]
    return middle if len(close) >= 0.8 * len(found) else None


def _parts(across: Across, key: Key, step: int) -> tuple[float, float] | None:
    """What the step found, without clipping and loss scale, and the sum of what all ranks' passes brought."""
    brought, norms, used = 0.0, 0.0, 0.0
    for rank, (own, index) in enumerate(zip(across.history(key), across.shared[key], strict=True)):
        trace = across.traces[rank]
        now = trace.steps[own[step][0]]
        before = trace.steps[own[step - 1][0]].tick if step else -1
        part = across.part(rank, own[step][0], index)
        grads = [
            g
            for b in trace.backwards
            if before < b.tick < now.tick and b.kind == "backward"
            for g in b.grads
            if g.param == index
        ]
        if part is None or not grads or any(g.part is None or not math.isfinite(g.norm) for g in grads):
            return None
        scale = _scale(trace, index, before, now)
        brought += sum(g.part or 0.0 for g in grads)
        norms += sum(g.norm for g in grads)
        used = part / scale
    return (used, brought) if abs(brought) > _LEAST * norms else None


def _scale(trace: t.Trace, index: int, after: int, step: t.Step) -> float:
    """By what clipping and a GradScaler have multiplied the gradient between passes and step."""
    scale = 1.0
    for event in trace.events:
        if not after < event.tick < step.tick:
            continue
        norm, limit, factor_ = event.data.get("total_norm"), event.data.get("limit"), event.data.get("scale")
        if (
            event.kind == "clip"
            and index in event.params
            and isinstance(norm, float)
            and isinstance(limit, float)
        ):
            scale *= min(1.0, limit / (norm + 1e-6))
        elif (
            event.kind == "unscale"
            and event.optimizer == step.optimizer
            and isinstance(factor_, float)
            and factor_
        ):
            scale /= factor_
    return scale
