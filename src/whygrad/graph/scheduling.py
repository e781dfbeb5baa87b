"""Whether schedulers are told what they wait for."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from whygrad import trace as t
from whygrad.graph.chain import Graph

_TURNS = 6  #: turns from which numbers alone tell, without a word in the source
_CLEAR = 0.75  #: of all pairs of turns, those that go opposite ways less those that do not (1: every pair)


def misled(graph: Graph) -> list[t.Schedule]:
    """Plateau schedulers whose metric is better the other way than they think, or no measure of the model."""
    found = []
    for plan in graph.trace.learning.schedules.all:
        turns = [turn for turn in plan.turns if turn.metric is not None]
        if plan.kind != "ReduceLROnPlateau" or not turns:
            continue
        if counted(turns) or _wrong(plan, str(plan.options.get("mode")), turns):
            found.append(plan)
    return found


def counted(turns: Sequence[t.Turn]) -> bool:
    """Whether the metrics are whole numbers that go up by one."""
    pairs = itertools.pairwise(turns)
    whole = len(turns) > 2 and all(turn.whole for turn in turns)
    return whole and all((b.metric or 0) - (a.metric or 0) == 1 for a, b in pairs)


def _wrong(plan: t.Schedule, mode: str, turns: Sequence[t.Turn]) -> bool:
    """By what the source says, unless the numbers speak against it; by the numbers alone where they are clear."""
    agreement = _agreement([(turn.metric, turn.loss) for turn in turns if turn.loss is not None])
    if plan.direction:
        against = 0.0 if agreement is None or len(turns) < 4 or mode == "max" else agreement
        return plan.direction != mode and against < _CLEAR
    if agreement is None or len(turns) < _TURNS or not turns[-1].after < turns[0].before:
        return False
    metrics = [turn.metric for turn in turns if turn.metric is not None]
    shares = min(metrics) >= 0 and (max(metrics) <= 1 or 20 < max(metrics) <= 100)
    if mode == "max":
        # goes up and down with the training loss, from the first call on; a score that gets worse may do so too
        return agreement >= _CLEAR and not shares
    # a share or a percentage that rises as the loss falls; a validation loss that rises starts near the training loss
    return agreement <= -_CLEAR and shares and metrics[0] < 0.6 * (turns[0].loss or 0.0)


def _agreement(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Kendall's tau of metric and training loss."""
    signs = []
    for (a, x), (b, y) in itertools.combinations(pairs, 2):
        if a is not None and b is not None and x is not None and y is not None and a != b and x != y:
            signs.append(1 if (a < b) == (x < y) else -1)
    return sum(signs) / len(signs) if len(signs) >= 3 else None
