"""What the alarms look at: the rows of one track as they come in. Nothing here imports torch."""

from __future__ import annotations

import importlib
import math
import pkgutil
import statistics
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Protocol

from whygrad.monitor import alarms
from whygrad.monitor.rows import Alarm, Row, Track

KEPT = 128  #: rows that are remembered


class Check(Protocol):
    """One kind of alarm for one track: the class ``Check`` of each module in ``whygrad.monitor.alarms``.

    ``look`` is asked of every row in order, after it was put into the history."""

    def __init__(self, history: History) -> None: ...

    def look(self, row: Row) -> Iterator[Alarm]:
        """What is wrong now. The same alarm may come again: it is told once."""


class History:
    """The last rows of a track, and the checks that look at them.

    ``guess``: the loss of the best answer that ignores the input, if the caller knows it."""

    def __init__(self, track: Track, guess: float | None = None) -> None:
        self.track = track
        self.guess = guess
        self.rows: deque[Row] = deque(maxlen=KEPT)
        self.count = 0
        self.first_step = 0
        self._checks: dict[str, Check] = {slug: kind(self) for slug, kind in checks().items()}
        self._told: set[tuple[str, str]] = set()
        self.problems: list[str] = []

    def add(self, row: Row) -> list[Alarm]:
        """Take a row in; what it gives rise to, each thing once."""
        if not self.count:
            self.first_step = row.step
        self.rows.append(row)
        self.count += 1
        found = []
        for slug, check in list(self._checks.items()):
            try:
                found += [alarm for alarm in check.look(row) if self._new(alarm)]
            except Exception as error:
                del self._checks[slug]
                self.problems.append(
                    f"The alarm {slug} failed ({type(error).__name__}: {error}) and was switched off."
                )
        return found

    def _new(self, alarm: Alarm) -> bool:
        keys = {(alarm.rule, name) for name in alarm.parameters or ("",)}
        new = not keys <= self._told
        self._told |= keys
        return new

    def seen(self, row: Row) -> bool:
        """Whether any gradient was measured in a row."""
        return any(n != -2 for n in row.norms)

    def norms(self, index: int, last: int) -> list[float]:
        """The finite gradient norms of a parameter in the last rows."""
        rows = list(self.rows)[-last:]
        return [n for row in rows if (n := row.norms[index]) >= 0 and math.isfinite(n)]


def checks() -> dict[str, type[Check]]:
    """Every kind of alarm by its slug, found by walking the package."""
    found = {}
    for info in sorted(pkgutil.iter_modules(alarms.__path__), key=lambda info: info.name):
        if not info.name.startswith("_"):
            found[info.name.replace("_", "-")] = importlib.import_module(
                f"{alarms.__name__}.{info.name}"
            ).Check
    return found


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Median, and the standard deviation that the median absolute deviation (times 1.4826) stands for where values are
    normally distributed."""
    middle = statistics.median(values)
    return middle, 1.4826 * statistics.median([abs(v - middle) for v in values])
