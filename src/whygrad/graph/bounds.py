"""The range that an output can have at all, by the activation that it came through, and what of the targets it misses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t
from whygrad.graph.sources import name_of, source

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_UP = math.inf
_RANGES: dict[str, tuple[float, float]] = {
    "sigmoid": (0, 1), "hardsigmoid": (0, 1), "softmax": (0, 1), "softmin": (0, 1), "gumbel_softmax": (0, 1),
    "tanh": (-1, 1), "softsign": (-1, 1), "hardtanh": (-1, 1), "relu": (0, _UP), "relu6": (0, 6), "softplus": (0, _UP),
    "elu": (-1, _UP), "selu": (-1.7581, _UP), "gelu": (-0.17, _UP), "silu": (-0.2785, _UP), "mish": (-0.3089, _UP),
    "exp": (0, _UP), "sin": (-1, 1), "cos": (-1, 1),
}  # fmt: skip
_POWERS = ("pow", "abs", "square", "mul")


class Bound(NamedTuple):
    """An output lies between ``low`` and ``high``, for operation ``op`` made it so."""

    op: int
    low: float
    high: float


def bound(graph: Graph, value: int) -> Bound | None:
    """The range of a value, if its last operation but for sums and products with numbers has one."""
    found = source(graph, value, linear=True)
    limits = _RANGES.get(name_of(graph, found.op)) if found.op >= 0 else None
    if limits is None or found.scale == 0:
        return None
    ends = sorted(found.scale * end + found.shift for end in limits)
    return Bound(found.op, ends[0], ends[1])


def unreachable(found: Bound, look: t.LossLook) -> float:
    """The squared error that no output in a range can avoid, as a share of the targets' variance."""
    if not look.spread or not all(map(math.isfinite, look.spread)):
        return 0.0
    inner = look.spread[1:-1]  # a single outlier is no reason
    middle = sum(inner) / len(inner)
    variance = sum((y - middle) ** 2 for y in inner) / len(inner)
    missed = sum((y - min(max(y, found.low), found.high)) ** 2 for y in inner) / len(inner)
    if variance <= 1e-12:
        return 1.0 if missed > 1e-6 * (1 + middle**2) else 0.0
    return min(1.0, missed / variance)


def squares(graph: Graph, op: int) -> bool:
    """Whether a difference is squared, or its absolute value taken, and then averaged or summed: a regression. What is
    divided or negated in between may be the logarithm of a density, whose mean is no prediction."""
    for value in graph.trace.ops[op].outs:
        for user in graph.flow.consumers.get(value, ()):
            name = name_of(graph, user)
            if "norm" in name:
                return True
            if name not in _POWERS or (name == "mul" and graph.trace.ops[user].ins[:2] != (value, value)):
                continue
            after = [u for out in graph.trace.ops[user].outs for u in graph.flow.consumers.get(out, ())]
            if any(name_of(graph, u) in ("mean", "sum", "nanmean", "sqrt") for u in after):
                return True
    return False
