"""Data that entered a model far from unit scale, and the harm that was seen of it."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t
from whygrad.graph.harm import BOUND, behind, diverges, flat_units, growth, guess, series

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_FAR = 10.0  #: root mean square of the widest feature
_ABOVE = 4.0  #: times the loss of a guess, at the first step
_EXPLAINS = 4.0  #: inputs s times too large make the steps s squared times too long: more than that is the rate itself
_ROSE = 3.0  #: times the first loss: steps that explode
_STUCK = 10.0  #: times the loss of a guess, at every step
_HUGE = 100.0  #: root mean square of a feature that explains such a loss
_LONG = 8  #: passes
_DEAD = 0.5  #: share of the units behind an activation
_ALL = 0.9  #: as good as all of them
_MORE = 0.25  #: that must have come in training
_NORMS = {"batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm", "local_response_norm"}
_STEPS = {"relu", "relu_", "view", "reshape", "flatten", "__add__", "add", "dropout", "transpose", "permute"}


class Harm(NamedTuple):
    """An entrance, and what was seen: ``sure`` (observed) or likely, in words and numbers."""

    entrance: t.Entrance
    sure: bool
    words: str


def harmed(graph: Graph) -> Harm | None:
    """The first entrance of data far from unit scale, if harm was seen in what lies behind it."""
    far = [e for e in graph.trace.learning.entrances if e.wide >= _FAR and not _normalised(graph, e.op)]
    for entrance in far:
        found = _harm(graph, entrance)
        if found is not None:
            return found
    return None


def _harm(graph: Graph, entrance: t.Entrance) -> Harm | None:
    losses, level = series(graph), guess(graph)
    if diverges(losses) and growth(losses) ** 0.5 <= _EXPLAINS * entrance.wide**2:
        return Harm(entrance, True, f"the loss goes from {losses[0]:.3g} to {losses[-1]:.3g}")
    ops = behind(graph, entrance.op)
    for activity in graph.trace.learning.activities:
        if not ops.intersection(activity.ops) or len(activity.flat) < 2 or activity.samples < 4:
            continue
        first, last = flat_units(activity)
        name = activity.name.rstrip("_")
        if name in BOUND and min(first, last) >= _DEAD:
            return Harm(
                entrance,
                last >= _ALL,
                f"{last:.0%} of the units behind {name} are saturated for every sample",
            )
        if name not in BOUND and last >= _DEAD and last - first >= _MORE:
            words = f"the share of the units behind {name} that are 0 for every sample grows from {first:.0%} to {last:.0%}"
            return Harm(entrance, True, words)
    if level is not None and losses[0] >= _ABOVE * level.guess and len(losses) > 3:
        late = statistics.median(losses[-3:])
        if late >= 0.9 * level.guess and max(losses) >= _ROSE * losses[0]:
            words = (
                f"the first loss is {losses[0]:.3g} where a guess has {level.guess:.3g}, it rises to {max(losses):.3g}, "
                f"and is {late:.3g} at the end"
            )
            return Harm(entrance, False, words)
        lowest = min(losses)
        if len(losses) >= _LONG and entrance.wide >= _HUGE and lowest >= _STUCK * level.guess:
            words = (
                f"the first loss is {losses[0]:.3g}, and none of {len(losses)} passes comes below {lowest:.3g}, where a guess "
                f"has {level.guess:.3g}"
            )
            return Harm(entrance, False, words)
    return None


def _normalised(graph: Graph, op: int) -> bool:
    """Whether a normalisation layer follows, which takes the scale away again."""
    for _ in range(4):
        users = [u for out in graph.trace.ops[op].outs for u in graph.flow.consumers.get(out, ())]
        names = {graph.flow.kind(u).name for u in users}
        if names & _NORMS:
            return True
        onward = [u for u in users if graph.flow.kind(u).name in _STEPS]
        if not onward:
            return False
        op = onward[0]
    return False
