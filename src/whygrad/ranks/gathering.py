"""Joins the traces of all ranks of a job, as far as they come, and says which are missing, and why."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from whygrad.ranks.job import Messages, State
from whygrad.trace import Trace, merge

#: Seconds without a sign of life after which a rank is given up.
_SILENT = 60.0
_POLL = 0.1


def gather(
    messages: Messages,
    world: int,
    have: Mapping[int, Trace] = {},
    going: Callable[[], bool] = lambda: True,
    why: Callable[[], Mapping[int, str]] = dict,
) -> Trace | None:
    """Wait until every rank is over, gives no more sign of life, or ``going`` says no; then join what there is.

    ``have``: traces that are here already. ``why``: what is known of ranks that failed, a clause each. None if no rank has
    left a trace."""
    waiting = set(range(world)) - have.keys()
    heard: dict[int, tuple[State | None, float]] = {}
    while going():
        waiting -= {rank for rank in waiting if _over(messages.state(rank), heard, rank)}
        if not waiting:
            break
        time.sleep(_POLL)
    traces = dict(have)
    for rank in set(range(world)) - have.keys():
        trace = messages.trace(rank)
        if trace is not None:
            traces[rank] = trace
    if not traces:
        return None
    return merge(traces.values(), world, _missing(world, traces, why()))


def _over(state: State | None, heard: dict[int, tuple[State | None, float]], rank: int) -> bool:
    """Whether a rank is over, or has said nothing new for long."""
    now = time.monotonic()
    if rank not in heard or heard[rank][0] != state:
        heard[rank] = state, now
    return (state is not None and bool(state.ended)) or now - heard[rank][1] > _SILENT


def _missing(world: int, traces: Mapping[int, Trace], why: Mapping[int, str]) -> list[str]:
    """A sentence for each rank of which nothing was seen, or not the end."""
    said = []
    for rank in range(world):
        reason = why.get(rank, "gave no sign of life any more")
        trace = traces.get(rank)
        if trace is None:
            said.append(f"Rank {rank} is missing: it {reason} before anything was seen of it")
        elif trace.ended == "running":
            steps = trace.step_count()
            said.append(f"Rank {rank} {reason}: what is told of it was seen up to its step {steps}")
    return said
