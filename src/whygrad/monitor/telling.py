"""The monitor's thread on every rank but the first: it hands the rows over, and judges nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from whygrad.monitor.across import Held, Message, told
from whygrad.monitor.own_thread import OwnThread
from whygrad.monitor.pace import Pace
from whygrad.monitor.ranks import Line
from whygrad.monitor.rows import Alarm
from whygrad.monitor.store import Meta
from whygrad.monitor.worker import Arriving, Told

_SELDOM = 0.25  #: seconds between two messages, at least
_ASKED = 1.0  #: seconds between two questions for the cadence


class Teller(OwnThread[Arriving]):
    """Stands in the place of the :class:`Worker`."""

    def __init__(
        self, meta: Meta, line: Line, pace: Pace, held: Callable[[int], Held | None], problems: Told
    ) -> None:
        super().__init__()
        self.meta, self.problems = meta, problems
        self.alarms: list[Alarm] = []
        self.spoilt: set[int] = set()
        self._line, self._pace, self._held = line, pace, held
        self._known: set[int] = set()
        self._thread.start()

    def attach(self, step: int, kind: str, report: str) -> None:
        """Reports are the first rank's."""

    # -- in the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        self._line.connect()
        asked, done = 0.0, False
        while not done:
            items, waiting = self._arrived(pause=_SELDOM)
            done = self._ended in waiting
            try:
                self._tell(items, done)
            except Exception as error:
                self.problems.add(
                    f"this rank is not watched any more ({type(error).__name__}: {error}); training goes on"
                )
            if time.monotonic() - asked > _ASKED and not done:
                asked = time.monotonic()
                self._pace.wished = self._line.pace()
            for event in waiting:
                event.set()
        self._line.close()

    def _tell(self, items: list[Arriving], over: bool) -> None:
        began = time.thread_time()
        rows = [row for item in items for row in item.rows()]
        for item in items:
            number = item.track.number
            if number not in self._known and (held := self._held(number)) is not None:
                self._known.add(number)
                self._line.hold(number, held)
        for row in rows:
            change = self.spoilt.discard if all(map(math.isfinite, row.norms)) else self.spoilt.add
            change(row.track)
        if rows or over:
            self._line.say(Message(0, [told(row) for row in rows], self._pace.every, over))
        if rows:
            self._pace.later = (time.thread_time() - began) / len(rows)
