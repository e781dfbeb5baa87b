"""When a rank that waits for others is ended. A pure decision over what all ranks say of themselves.

Unobserved, such a rank would wait until torch's own timeout (half an hour on gloo), or for ever.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from whygrad.ranks.job import State

#: Seconds that a job may stand still before it is said to hang.
HANG = 60.0
#: A rank that stands still somewhere else than in a collective call may be busy in a way that is not seen from here.
_ELSEWHERE = 10.0
#: Seconds after which a call is said to wait: at once after it has begun it may be about to return.
_GRACE = 3.0
#: A rank that gets on may lag this share of the run behind those that are through.
_LAG, _LEAST = 0.5, 30.0

Decision = Literal["", "stopped", "hung"]


def decide(
    own: State, others: Collection[State | None], hang: float, elapsed: float, alone: float
) -> Decision:
    """What becomes of a rank whose script still runs: nothing, ``stopped`` (the others have seen enough, so that there is
    nothing to wait for any more) or ``hung`` (it waits for what will never come).

    ``others``: None for a rank that has not said anything yet; ``hang``: seconds, the user's limit; ``elapsed``: how long
    this rank has been running, ``alone`` how long it has been the only one that does."""
    known = [state for state in others if state is not None]
    if len(known) < len(others):
        return ""
    grace = min(_GRACE, hang)
    over = [state for state in known if state.ended]
    enough = any(state.ended in ("steps", "stopped") for state in over)
    idle = all(state.ended or (state.where.waits and state.where.seconds >= grace) for state in known)
    still = own.where.seconds
    if own.where.waits and idle and still >= (grace if over else hang):
        return "stopped" if enough else "hung"
    if still >= _ELSEWHERE * hang and all(s.ended or s.where.seconds >= hang for s in known):
        return "hung"
    return "stopped" if enough and alone >= max(_LEAST, _LAG * elapsed) else ""
