"""Where the training thread of a process stood when it was ended, because it waited for others."""

from __future__ import annotations

from whygrad.trace.record import Record


class Standing(Record, frozen=True):
    """At ``stack`` it was in ``call`` (a function of torch's, e.g. ``all_reduce`` or ``backward``; empty: in none) for
    ``seconds``. ``waits``: that is a call that waits for other ranks."""

    call: str
    stack: int
    seconds: float
    waits: bool
