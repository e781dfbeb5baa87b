"""A monitored run as it stands now, for those who watch it. Nothing here imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whygrad.monitor.process import gone
from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import Alarm, Row, Track
from whygrad.monitor.store import Meta, Point
from whygrad.render._text import number


class State:
    """What is shown: read anew at every look."""

    def __init__(self, path: Path) -> None:
        reader = Reader(path)
        try:
            self.meta: Meta = reader.meta()
            #: Its process is no more, although it has not said that it ends.
            self.gone = self.meta.ended == "running" and gone(self.meta.process)
            if self.gone:
                self.meta = reader.meta()  # it may have said so since
                self.gone = self.meta.ended == "running"
            self.points: list[Point] = [
                p for p in reader.points() if p.total is not None or p.loss is not None
            ]
            self.alarms: list[Alarm] = reader.alarms()
            self.last: list[tuple[Track, Row]] = [
                (track, rows[-1])
                for track in reader.tracks().values()
                if (rows := reader.rows(track.number, last=1))
            ]
        finally:
            reader.close()

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return self.gone or self.meta.ended != "running"

    def line(self) -> str:
        """All of it in one line."""
        loss = [p.loss for p in self.points if p.loss is not None]
        parts = [f"step {self.meta.step}{f' of {self.meta.steps}' if self.meta.steps else ''}"]
        parts += [f"loss {number(loss[-1])}"] if loss else []
        if self.points:
            last = self.points[-1]
            parts += [f"gradient norm {number(last.total)}"] if last.total is not None else []
            parts += [f"lr {number(last.lr)}"] if last.lr is not None else []
            parts += [f"{last.skipped} steps skipped"] if last.skipped else []
        count = len(self.alarms)
        parts.append(f"{count} alarm{'' if count == 1 else 's'}" if count else "no alarm")
        parts += ["the process is gone"] if self.gone else []
        return ", ".join(parts)


def rate_of(points: Sequence[Point]) -> float:
    """Steps a second over the last points."""
    if len(points) < 2:
        return 0.0
    first, last = points[-min(len(points), 20)], points[-1]
    return (last.step - first.step) / (last.time - first.time) if last.time > first.time else 0.0


def in_words(seconds: float) -> str:
    """A time in its two largest units: ``2 h 5 min``."""
    whole = max(0, round(seconds))
    units = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
    largest = next((i for i, (size, _) in enumerate(units) if whole >= size), len(units) - 1)
    parts: list[str] = []
    for size, name in units[largest : largest + 2]:
        if whole >= size or not parts:
            parts.append(f"{whole // size} {name}")
        whole %= size
    return " ".join(parts)
