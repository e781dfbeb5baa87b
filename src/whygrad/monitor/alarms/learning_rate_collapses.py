"""The learning rate has been next to nothing for a large part of the training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

_FALL = 1e-4 * (1 - 1e-6)  #: of the greatest rate
_STEPS, _SHARE = (
    50,
    0.2,
)  #: so many steps, and so much of all of them: schedules that end at 0 are there at the end only
_ROWS = 5


class Check:
    """Follows the greatest rate of the groups."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._top = 0.0
        self._low: tuple[int, int] | None = None  #: the step before the fall, and the rows since
        self._step = 0

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm where the rate has fallen and stayed there."""
        before, self._step = self._step, row.step
        rate = row.lr()
        self._top = max(self._top, rate if rate == rate else 0.0)
        if not rate <= _FALL * self._top:
            self._low = None
            return
        since, rows = self._low or (before, 0)
        self._low = (since, rows + 1)
        if row.step - since < max(_STEPS, _SHARE * row.step) or rows + 1 < _ROWS:
            return
        names = self._history.track.names
        yield Alarm(
            rule="learning-rate-collapses",
            severity="warning",
            step=row.step,
            since=since,
            title=f"the learning rate of {self._history.track.optimizer} has been {rate:.2g} since step {since}"
            + (f" (at most it was {self._top:.2g})" if self._top else "")
            + f": {len(names)} parameters hardly change any more",
            fix="Look at the numbers that the scheduler works with (epochs where it counts batches?), or end the training here.",
            evidence={"lr": rate, "greatest": self._top, "since": since},
            link=9,
        )
