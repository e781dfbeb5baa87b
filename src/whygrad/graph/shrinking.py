"""How much of each step only takes weights nearer to zero, and whether weight decay is what does it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph
    from whygrad.graph.penalties import Penalty

_LEFT = (
    0.25  #: of its first norm: below that a weight is looked at no more (momentum makes it swing about zero)
)
_LEAST_STEPS = 3
_EXCESS = 1.5  #: of the decay over the gradient, in the median weight matrix
_LEAST = 0.7  #: the same in every one: the last layer keeps the largest gradient
_STRAIGHT = 0.5  #: share of the way that leads to zero
_EVER = 2000  #: steps to a third of the weights
_DECOUPLED = ("AdamW", "Lion", "SGDW", "Lamb", "LAMB", "Adafactor", "Muon", "NAdamW")


class Shrinking(NamedTuple):
    """One weight: its norm at first and at the end, by how much decay exceeds the rest (median over the steps), the
    share of the way it went that led straight to zero, and in how many steps it falls to a third at the last pace."""

    param: int
    first: float
    last: float
    excess: float
    straight: float
    steps: float


def shrinking(
    graph: Graph, optimizer: int, group: t.Group, penalties: Mapping[int, Penalty] | None = None
) -> list[Shrinking]:
    """The weight matrices of a group with weight decay, or with ``penalties`` in the loss, as far as they can be judged."""
    own = graph.trace.optimizers[optimizer]
    decay = group.options.get("weight_decay", 0.0)
    apart = own.kind.startswith(_DECOUPLED) or bool(group.options.get("decoupled_weight_decay"))
    found = []
    for param in group.params:
        rows = [
            (graph.trace.steps[s].lrs, r)
            for s, r in graph.updates.rows.get(param, ())
            if graph.trace.steps[s].optimizer == optimizer and r.grad is not None
        ]
        if len(graph.trace.params[param].shape) < 2 or len(rows) < _LEAST_STEPS or rows[0][1].norm == 0:
            continue
        if not all(math.isfinite(r.grad or 0) and math.isfinite(r.norm + r.update) for _, r in rows):
            continue
        own_rows = [r for _, r in rows]
        if penalties is None:
            pulls = [decay * r.norm * ((group.lr or 0.0) if apart else 1.0) for r in own_rows]
            judged = _judge(param, own_rows, pulls, apart)
        elif param in penalties:
            numel = math.prod(graph.trace.params[param].shape)
            pulls = [penalties[param].pull(r, numel) for r in own_rows]
            judged = _judge(param, own_rows, pulls, False, within=True)
        else:
            continue
        if judged is not None:
            found.append(judged)
    return found


def crushed(own: list[Shrinking]) -> bool:
    """Whether all of them shrink since something pulls them to zero harder than the loss."""
    return (
        statistics.median([s.excess for s in own]) > _EXCESS
        and min(s.excess for s in own) > _LEAST
        and statistics.median([s.straight for s in own]) > _STRAIGHT
        and all(s.last < s.first for s in own)
        and statistics.median([s.steps for s in own]) < _EVER
    )


def _judge(
    param: int, rows: list[t.StepParam], pulls: list[float], apart: bool, within: bool = False
) -> Shrinking | None:
    """``pulls``: the part of each step's update (``apart``) or gradient that leads to zero; ``within``: the gradient that
    was measured holds it already."""
    norms = [r.norm for r in rows]
    count = next((i for i, n in enumerate(norms) if n < _LEFT * norms[0]), len(norms) - 1)
    used = rows[: max(count, 2)]
    way = sum(r.update for r in used)
    if way == 0 or len(norms) <= len(used):
        return None
    ratios = []
    for row, pull in zip(used, pulls, strict=False):
        whole = row.update if apart else row.grad or 0.0
        rest = math.sqrt(max(whole**2 - pull**2, 1e-12 * pull**2)) if apart or within else whole
        ratios.append(pull / max(rest, 1e-30))
    half = len(used) // 2
    pace = (norms[half] - norms[len(used)]) / max(1, len(used) - half)
    return Shrinking(
        param,
        norms[0],
        min(norms[: len(used) + 1]),
        statistics.median(ratios),
        (norms[0] - norms[len(used)]) / way,
        math.inf if pace <= 0 else 0.67 * norms[half] / pace,
    )
