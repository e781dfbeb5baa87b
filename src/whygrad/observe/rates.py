"""How far a schedule must be followed to see whether it brings the learning rate down to nothing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from whygrad import trace as t

_FALL = 0.01  #: of the first rate: less counts as nothing
_OFTEN = 0.8  #: scheduler steps for each optimizer step: more is once a batch
_TREND = 0.8  #: fall within the window from which a schedule of unknown kind is followed
#: Attributes of torch's schedulers that say when the rate changes.
NUMBERS = ("step_size", "gamma", "T_max", "total_steps", "T_0", "total_iters", "factor", "patience")


def facts(scheduler: object) -> dict[str, float | str | bool | None]:
    """The numbers of a scheduler, and its milestones as text."""
    found: dict[str, float | str | bool | None] = {"scheduler": type(scheduler).__name__}
    for name in NUMBERS:
        value = getattr(scheduler, name, None)
        if isinstance(value, (int, float)):
            found[name] = value
    milestones = getattr(scheduler, "milestones", None)
    if milestones:
        found["milestones"] = " ".join(str(m) for m in sorted(milestones))
    return found


def steps_needed(events: Sequence[t.Event], steps: int) -> int:
    """The number of steps after which one optimizer's schedule has shown what it does, if it is stepped once a batch
    and seems to fall; 0 if there is nothing to wait for."""
    if not events or len(events) < _OFTEN * steps:
        return 0
    data = events[-1].data
    if _number(data, "T_max"):
        return int(1.6 * _number(data, "T_max")) + 2
    gamma = _number(data, "gamma") or _number(data, "factor")
    falls = math.ceil(math.log(_FALL) / math.log(gamma) - 1e-9) if 0 < gamma < 1 else 0
    milestones = str(data.get("milestones", "")).split()
    if milestones:
        reached = float(milestones[falls - 1]) if 0 < falls <= len(milestones) else 0.0
    else:
        reached = falls * (_number(data, "step_size") or _number(data, "patience") + 1)
    if not falls:
        reached = trend([_number(events[0].data, "before"), *(_number(e.data, "after") for e in events)])
    return math.ceil(1.5 * reached)


def trend(rates: Sequence[float]) -> float:
    """The step at which rates that fall like these reach nothing; 0 if they do not fall, or hardly."""
    falling = len(rates) > 1 and rates[0] > 0 and all(b <= a for a, b in itertools.pairwise(rates))
    ratio = rates[-1] / rates[0] if falling else 1.0
    if not 0 < ratio < _TREND:
        return 0.0
    return len(rates) * math.log(_FALL) / math.log(ratio)


def _number(data: dict[str, float | str | bool | None], name: str) -> float:
    value = data.get(name)
    return float(value) if isinstance(value, (int, float)) else 0.0
