"""Ranks whose DistributedDataParallel should average the gradients step with their own. The page is that of the rule of this
name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.alarms._ranks import Apart, named, ranks_said
from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History


class Check:
    """Judges replicas of DistributedDataParallel that has no hook of the user's for its communication."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._apart = Apart()

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm at the second comparison in which gradients and parameters differ."""
        new = self._apart.new(row)
        if row.across is None or not row.across.replicas:
            return
        found = [i for i in new if i in row.across.differ]
        if not found:
            return
        names = tuple(self._history.track.names[i] for i in found)
        ranks = sorted({r for i in found for r in row.across.differ[i]})
        yield Alarm(
            rule="gradients-not-synchronised",
            severity="error",
            step=row.step,
            since=self._apart.alike_until,
            title=f"the gradient of {named(names)} is not averaged: {ranks_said(ranks)} steps with another one than the first rank, "
            "and the parameters have parted",
            fix="Call the wrapped model, not model.module; leave no_sync() before the last backward pass of a step, and replace or "
            "unfreeze no parameter after the wrapping.",
            parameters=names,
            evidence={"ranks": ", ".join(map(str, ranks)), "parameters": len(names)},
            link=10,
        )
