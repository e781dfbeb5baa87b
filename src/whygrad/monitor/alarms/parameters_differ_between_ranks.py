"""The copies of a parameter that ranks train together have drifted apart. The page is that of the rule of this name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.alarms._ranks import Apart, named, ranks_said
from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History


class Check:
    """Judges parameters whose gradient is the same on all ranks: copies that average now and then (local SGD) have
    gradients of their own, and so have models of their own."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._apart = Apart()

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm at the second comparison in which they differ."""
        found = [i for i in self._apart.new(row) if row.across is not None and i not in row.across.differ]
        if not found or row.across is None:
            return
        names = tuple(self._history.track.names[i] for i in found)
        ranks = sorted({r for i in found for r in row.across.apart[i]})
        since = self._apart.alike_until
        yield Alarm(
            rule="parameters-differ-between-ranks",
            severity="error",
            step=row.step,
            since=since,
            title=f"{named(names)} on {ranks_said(ranks)} "
            + (f"is no more what it was until step {since}: " if since else "is not ")
            + ("another value than on the other ranks" if since else "what it is on the other ranks"),
            fix="Look for what is done on one rank only (a write to the weights, a learning rate, a loaded checkpoint); from here on "
            "each rank trains a model of its own. Broadcast the weights of one rank before going on.",
            parameters=names,
            evidence={
                "ranks": ", ".join(map(str, ranks)),
                "alike_until_step": since,
                "parameters": len(names),
            },
            link=10,
        )
