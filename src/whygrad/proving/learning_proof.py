"""Proof for a cause that stops no parameter: with it taken away, does the model learn better?

Every parameter trains with and without it, so that what counts is the loss: how far it fell over the same passes of the
two runs, as a share of where it began (the two losses may be different functions: one with a softmax too many, say).
"""

from __future__ import annotations

import math

from whygrad.diagnose import diagnose
from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention

_LAST = 3  #: passes whose mean stands for the end: one batch is easier than another
_FARTHER = 0.02  #: share of the first loss by which it must have fallen farther


def learns_better(before: Graph, after: Graph, finding: Finding, change: Intervention) -> tuple[str, bool]:
    """What the second run says, in a sentence with its numbers, and whether it proves the cause."""
    again = any(f.rule == finding.rule for f in diagnose(after.trace, select=[finding.rule]).loud())
    old, new = losses(before), losses(after)
    count = min(len(old), len(new))
    if again or not count:
        told = "the same is found again" if again else "no loss was seen"
        return f"With {change.text}, {told}.", False
    old, new = old[:count], new[:count]
    if change.shows == "differs":
        text = f"With {change.text}, the loss at backward pass {count} is {new[-1]:.4g} instead of {old[-1]:.4g}."
        return text, old != new
    was, now = fall(old), fall(new)
    text = (
        f"With {change.text}, the loss goes from {new[0]:.4g} to {_end(new):.4g} over {count} passes "
        f"({_share(now)}) instead of from {old[0]:.4g} to {_end(old):.4g} ({_share(was)})."
    )
    return text, math.isfinite(now) and not now <= (was if math.isfinite(was) else -math.inf) + _FARTHER


def losses(graph: Graph) -> list[float]:
    """The losses of the backward passes."""
    return [b.loss for b in graph.trace.backwards if b.loss is not None]


def fall(values: list[float]) -> float:
    """How far a loss fell, as a share of where it began; negative if it rose."""
    return (values[0] - _end(values)) / abs(values[0]) if values[0] else 0.0


def _end(values: list[float]) -> float:
    last = values[-min(_LAST, max(1, len(values) // 2)) :]
    return sum(last) / len(last)


def _share(number: float) -> str:
    if not math.isfinite(number):
        return "not finite"
    return f"down by {number:.0%}" if number >= 0 else f"up by {-number:.0%}"
