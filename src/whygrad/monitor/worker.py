"""The thread that turns rows into history, alarms and records, so that the training does not wait for any of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from whygrad.monitor.history import History
from whygrad.monitor.own_thread import OwnThread
from whygrad.monitor.patient import PatientStore
from whygrad.monitor.rows import Alarm, Row, Track
from whygrad.monitor.store import Batch, Meta
from whygrad.observe.guard import Problems
from whygrad.running.streams import say

_WAITING = 2_000  #: rows that wait for a store that cannot be written; beyond it the older ones are given up


class Told(Problems):
    """Faults, each of which is said once."""

    def add(self, sentence: str) -> None:
        """Note it; say it if it is new."""
        new = sentence not in self._seen
        super().add(sentence)
        if new:
            say(sentence)


class Sink(Protocol):
    """Where statistics go beside the store. Its methods are called in the monitor's own thread, one after the other; what
    they raise is said once, and the sink is used no more."""

    def begin(self, meta: Meta) -> None:
        """The run begins."""

    def rows(self, track: Track, rows: Sequence[Row]) -> None:
        """Measured steps, in order."""

    def alarm(self, alarm: Alarm) -> None:
        """An alarm, once."""

    def close(self) -> None:
        """The run is over."""


class Arriving(Protocol):
    """Rows of one track that have come to the host."""

    track: Track

    def rows(self) -> list[Row]:
        """The rows, in order."""


class Joins(Protocol):
    """Makes rows of this rank rows of all ranks. Used in the worker's thread."""

    def begin(self) -> None:
        """The first call."""

    @property
    def seconds(self) -> float | None:
        """After which to ask for rows again, None if nothing waits."""

    def add(self, track: Track, rows: Sequence[Row]) -> None:
        """Rows of this rank, in order."""

    def ready(self, over: bool = False) -> list[tuple[Track, Row]]:
        """Rows that are complete; with ``over`` all that there are."""

    def close(self) -> None:
        """The last call."""


#: What a worker is given: rows, or a report to keep (its step, kind and JSON).
Given = Arriving | tuple[int, str, str]


class Worker(OwnThread[Given]):
    """Works through what it is given, in order. ``on_alarms`` is called in its thread with what is new."""

    def __init__(
        self,
        meta: Meta,
        path: Path | None,
        sinks: Sequence[Sink],
        problems: Told,
        on_alarms: Callable[[list[Alarm]], None],
        on_cost: Callable[[float], None] = lambda seconds: None,
        joins: Joins | None = None,
    ) -> None:
        super().__init__()
        self.meta = meta
        self.path = path
        self.problems = problems
        self.alarms: list[Alarm] = []
        #: Tracks of which the last row was not finite: their elements are to be counted.
        self.spoilt: set[int] = set()
        self._sinks = list(sinks)
        self._on_alarms, self._on_cost, self._joins = on_alarms, on_cost, joins
        self._batch = Batch(meta)
        self._histories: dict[int, History] = {}
        self._thread.start()

    def attach(self, step: int, kind: str, report: str) -> None:
        """A report to keep with the record, as JSON."""
        self._queue.put((step, kind, report))

    # -- in the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        # The connection lives in this frame alone: a forked child has the memory but not the thread, so that nothing of it is
        # ever closed there, which would take the journal of a transaction under way with it.
        store = PatientStore(self.path, self._tell)
        for sink in list(self._sinks):
            self._to(sink, lambda s: s.begin(self.meta))
        if self._joins is not None:
            self._joins.begin()
        done = False
        while not done:
            # where other ranks are waited for, they are asked again from time to time
            items, waiting = self._arrived(None if self._joins is None else self._joins.seconds)
            done = self._ended in waiting
            cost, count = 0.0, 0
            try:
                cost, count = self._work(items, over=bool(waiting))
            except Exception as error:
                self._tell(f"the monitor failed ({type(error).__name__}: {error}); training goes on")
            self._batch.meta.problems = self.problems.sentences()
            began = time.thread_time()
            if store.write(self._batch, patient=not waiting):
                self._batch = Batch(self.meta)
            self._cost(count, cost + time.thread_time() - began)
            del self._batch.rows[:-_WAITING]
            if done:
                for sink in list(self._sinks):
                    self._to(sink, lambda s: s.close())
                store.close()
                if self._joins is not None:
                    self._joins.close()
            for event in waiting:
                event.set()

    def _work(self, items: Sequence[Given], over: bool = False) -> tuple[float, int]:
        """Seconds of the processor that it took, and how many rows there were."""
        began, count = time.thread_time(), 0
        for item in items:
            if isinstance(item, tuple):
                self._batch.reports.append(item)
            else:
                rows = item.rows()
                count += len(rows)
                if self._joins is None:
                    self._take(item.track, rows)
                else:
                    self._joins.add(item.track, rows)
        if self._joins is not None:
            for track, row in self._joins.ready(over):
                self._take(track, [row])
        return time.thread_time() - began, count

    def _cost(self, count: int, seconds: float) -> None:
        """What a row costs here, in the store too, for the cadence."""
        if count:
            self._on_cost(seconds / count)

    def _take(self, track: Track, rows: list[Row]) -> None:
        history = self._histories.get(track.number)
        if history is None:
            history = self._histories[track.number] = History(track, self.meta.guess)
            self._batch.tracks.append(track)
        alarms = [alarm for row in rows for alarm in history.add(row)]
        self.spoilt.discard(track.number)
        if rows and any(n != n or n == float("inf") for n in rows[-1].norms):
            self.spoilt.add(track.number)
        for problem in history.problems:
            self._tell(problem)
        history.problems.clear()
        if any(row.across is not None for row in rows):
            self.meta.environment.pop("rank", None)  # it is a record of all of them
        if rows:
            self.meta.step = max(self.meta.step, rows[-1].step)
            self.meta.updated = rows[-1].time
        self._batch.rows += rows
        self._batch.alarms += alarms
        self.alarms += alarms
        for sink in list(self._sinks):
            self._to(sink, lambda s: s.rows(track, rows))
            for alarm in alarms:
                self._to(sink, lambda s, a=alarm: s.alarm(a))  # type: ignore[misc]
        if alarms:
            self._on_alarms(alarms)

    def _to(self, sink: Sink, call: Callable[[Sink], None]) -> None:
        if sink not in self._sinks:
            return
        try:
            call(sink)
        except Exception as error:
            self._sinks.remove(sink)
            self._tell(
                f"{type(sink).__name__} failed and gets no more ({type(error).__name__}: {error}); training goes on"
            )

    def _tell(self, sentence: str) -> None:
        self.problems.add(sentence)


def as_json(value: object) -> str:
    """A value of ours for the store."""
    return msgspec.json.encode(value).decode()
