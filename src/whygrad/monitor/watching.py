"""``whygrad.watch()``: the monitor of one training."""

from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

from whygrad.errors import UsageError
from whygrad.finding import Report
from whygrad.monitor.actions import Actions, TrainingStopped, actions_for, save_checkpoint
from whygrad.monitor.cadence import Cadence
from whygrad.monitor.diagnosing import STEPS, Diagnosis, told
from whygrad.monitor.gathering import Gathering, Looks
from whygrad.monitor.hooks import Hooks
from whygrad.monitor.names import Models, Names
from whygrad.monitor.pace import Pace
from whygrad.monitor.process import own
from whygrad.monitor.ranks import Line, several
from whygrad.monitor.rows import Alarm, Track
from whygrad.monitor.setting import bare_optimizers, first_rank, record_path, script
from whygrad.monitor.store import Meta
from whygrad.monitor.telling import Teller
from whygrad.monitor.worker import Sink, Told, Worker, as_json
from whygrad.observe.environment import environment
from whygrad.running.streams import say
from whygrad.saved import records

_LAST = 10.0  #: seconds to wait at the end for what is still to be written


class Watch(AbstractContextManager["Watch"]):
    """A training under the monitor, from when this is made until :meth:`close` (or the end of the ``with`` block).

    Args:
        model: the model; several as a list, or as a dict with their names. None: whatever an optimizer holds.
        optimizer: the optimizer or optimizers that are meant. Default: each that holds a parameter of the model.
        every: measure every so many steps. Default: as often as the budget of 1 % of the training's time allows.
        on_alarm: what an alarm does, beside standing in the record: ``"warn"`` (a line on standard error, the default),
            ``"checkpoint"``, ``"stop"`` (raises :class:`TrainingStopped`), ``"diagnose"`` (the full observer for the next
            steps), a function that gets the :class:`Alarm`, several of them, or a dict from the slugs of alarms (``"*"``:
            all others). None: nothing.
        checkpoints: the folder for ``"checkpoint"`` (default ``whygrad-checkpoints``).
        guess: the loss of the best answer that ignores the input, if you know it.
        sinks: where statistics and alarms go beside the record (see ``monitor/worker.py``).
        record: where the record goes: True for the usual folder, False for nowhere, or a path.
        name: what the record calls the run (default: the script).
        first_step: steps taken before, of a training that is resumed.
        steps: how many there will be, for the progress that ``whygrad report --follow`` shows.

    Of several processes that train together (torch.distributed is initialised before) each calls it; the first one keeps the
    record of all and raises the alarms.

    Raises:
        UsageError: for what is no model or no action.
    """

    def __init__(  # noqa: PLR0913  (all but the first two by name)
        self,
        model: Models | Names = None,
        optimizer: Any = None,
        *,
        every: int | None = None,
        on_alarm: Actions = "warn",
        checkpoints: str | Path = "whygrad-checkpoints",
        guess: float | None = None,
        sinks: Sequence[Sink] = (),
        record: bool | str | Path = True,
        name: str = "",
        first_step: int = 0,
        steps: int | None = None,
    ) -> None:
        if every is not None and every < 1:
            raise UsageError(
                f"every is {every}: there would be nothing to measure; give a number of 1 or more."
            )
        self._names = model if isinstance(model, Names) else Names(model)
        self._actions = actions_for(on_alarm)
        self._checkpoints = Path(checkpoints)
        self._optimizers = bare_optimizers(optimizer)
        self._pending: deque[Alarm] = deque()
        self._diagnosis: Diagnosis | None = None
        self._problems = Told()
        self.closed = False
        #: Whether this process keeps the record: the first of several that train together.
        self.active = first_rank()
        ranks = Line(n for n, _ in self._names.all()) if several() else None
        if ranks is not None and not ranks.usable:
            ranks = None
            self._problems.add("the ranks share no TCPStore, so that rank 0 is watched alone")
        self._measures = self.active or ranks is not None
        called = name or script()
        meta = Meta(
            called, tuple(sys.argv[1:]), str(Path.cwd()), environment(), time.time(), steps=steps, guess=guess
        )
        meta.process = own()
        if ranks is not None:
            meta.environment["world_size"] = ranks.world
        meta.frozen = {n: tuple(p.shape) for n, p in self._names.all() if not p.requires_grad}
        self._path = record_path(record, called) if self.active else None
        self._cadence = Cadence(every) if ranks is None else Pace(every)
        self._began = time.monotonic()
        self._hooks = Hooks(
            self._names, self._cadence, self._put, self._between, self._problems, self._optimizers, first_step
        )
        self._worker: Worker | Teller | None = None
        joins = None
        if ranks is not None and isinstance(self._cadence, Pace):
            self._hooks.looks = looks = Looks(self._cadence, self._names.models.values())
            if self.active:
                joins = Gathering(ranks, looks, self._cadence)
            else:
                self._worker = Teller(meta, ranks, self._cadence, looks.held, self._problems)
        if self.active:
            self._worker = Worker(meta, self._path, sinks, self._problems, self._heard, self._later, joins)
        if self._worker is not None:
            self._hooks.spoilt = self._worker.spoilt
            self._hooks.install()
            if self._path is not None and record is True:
                records.prune(self._path.parent, records.KEPT - 1)
            atexit.register(self.close)
            os.register_at_fork(after_in_child=_calling(weakref.ref(self)))

    # -- what a training asks of it ------------------------------------------------------------------

    def step(self, loss: Any = None) -> None:
        """A step of the training is over. Optional: optimizers of torch's are heard by themselves.

        To be called once a step, after ``optimizer.step()``. ``loss``: a number or a tensor of one element, which is kept
        for the measured steps. Where no optimizer of torch's steps, the parameters are measured here."""
        if self._measures and not self.closed:
            self._hooks.told(loss)
            self._between()

    def flush(self) -> None:
        """Wait until all that was measured is in the record, and act on its alarms."""
        if self._worker is not None and not self.closed:
            self._hooks.flush()
            self._worker.wait(_LAST)
            self._act()

    def close(self) -> None:
        """End the monitor: torch is as it was, the record is complete. Idempotent."""
        self.finish("end")

    @property
    def alarms(self) -> list[Alarm]:
        """All alarms so far; complete after :meth:`flush` or :meth:`close`."""
        return list(self._worker.alarms) if self._worker is not None else []

    @property
    def record(self) -> Path | None:
        """Where the record is, for ``whygrad report``."""
        return self._path

    @property
    def problems(self) -> tuple[str, ...]:
        """What the monitor could not do, one sentence each."""
        return self._problems.sentences()

    @property
    def every(self) -> int:
        """Every how many steps one is measured, at present."""
        return self._cadence.every

    @property
    def steps(self) -> int:
        """Steps of the training so far."""
        return self._hooks.step

    @property
    def tracks(self) -> list[Track]:
        """The parameters of each optimizer that was seen, with their names."""
        return list(self._hooks.tracks.all)

    def report(self) -> Report:
        """What there is to say so far, as ``whygrad report`` shows it. Raises UsageError where no record is kept."""
        from whygrad.monitor.stored_report import report_of

        self.flush()
        if self._path is None:
            raise UsageError(
                "This run keeps no record, so that there is nothing to report from; use record=True."
            )
        return report_of(self._path)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        interrupted = error is not None and not isinstance(error, Exception)
        how = (
            "end"
            if error is None or isinstance(error, TrainingStopped)
            else "interrupted"
            if interrupted
            else "raised"
        )
        self.finish(how, "" if error is None else f"{type(error).__name__}: {error}")

    def finish(self, ended: str, error: str = "") -> None:
        """:meth:`close`, and say in the record how the training ended: ``end``, ``raised`` or ``interrupted``."""
        if self.closed:
            return
        self.closed = True
        atexit.unregister(self.close)
        if self._worker is None:
            return
        self._hooks.remove()
        if self._diagnosis is not None:
            self._diagnosis.finish()
        try:
            self._hooks.flush()
        except Exception as failure:
            self._problems.failed("the end of the training", failure)
        meta = self._worker.meta
        meta.ended, meta.error, meta.step = ended, error, self.steps
        meta.seconds = time.monotonic() - self._began
        self._worker.end(_LAST)
        self._act(over=True)

    # -- inside --------------------------------------------------------------------------------------

    def _put(self, rows: Any) -> None:
        if self._worker is not None:
            self._worker.meta.seconds = time.monotonic() - self._began
            self._worker.put(rows)

    def _later(self, seconds: float) -> None:
        self._cadence.later = seconds

    def _heard(self, alarms: list[Alarm]) -> None:
        """In the worker's thread: say it at once, leave the rest to the training's thread."""
        for alarm in alarms:
            if "warn" in self._actions(alarm.rule):
                say(alarm.sentence())
            self._pending.append(alarm)

    def _between(self) -> None:
        if self._diagnosis is not None:
            self._diagnosis.after_step()
        if self._pending:
            self._act()

    def _act(self, over: bool = False) -> None:
        """Carry out what alarms ask for, in the thread that trains. Raises TrainingStopped last of all."""
        stop: Alarm | None = None
        while self._pending:
            alarm = self._pending.popleft()
            for action in self._actions(alarm.rule):
                if action == "stop":
                    stop = stop or alarm
                    continue
                try:
                    self._carry_out(action, alarm, over)
                except Exception as error:
                    self._problems.add(
                        f"what the alarm {alarm.rule} asked for failed ({type(error).__name__}: {error}); training goes on"
                    )
        if stop is not None and not over:
            raise TrainingStopped(stop)

    def _carry_out(self, action: Any, alarm: Alarm, over: bool) -> None:
        if action == "checkpoint":
            path = save_checkpoint(self._checkpoints, alarm, self._names.models, self._hooks.optimizers())
            say(f"model and optimizers as they are at step {self.steps} are saved in {path}")
        elif action == "diagnose":
            if self._diagnosis is None and not over:
                self._diagnosis = Diagnosis(script(), STEPS, self._diagnosed, self._problems)
        elif callable(action):
            action(alarm)

    def _diagnosed(self, report: Report) -> None:
        for line in told(report):
            say(f"diagnosis: {line}")
        if self._worker is not None:
            self._worker.attach(self.steps, "diagnosis", as_json(report))

    def _in_child(self) -> None:
        """A forked child (a DataLoader worker) is not watched, and has no thread that would write."""
        self._hooks.active = False
        self.closed = True


def watch(model: Models = None, optimizer: Any = None, **options: Any) -> Watch:
    """Watch a training at next to no cost: see :class:`Watch` for all that can be given.

    >>> import torch, whygrad
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with whygrad.watch(model, optimizer, record=False) as watch:
    ...     for _ in range(3):
    ...         optimizer.zero_grad()
    ...         model(torch.ones(4, 3)).pow(2).mean().backward()
    ...         optimizer.step()
    >>> watch.steps, watch.alarms
    (3, [])
    """
    return Watch(model, optimizer, **options)


def _calling(seen: weakref.ref[Watch]) -> Any:
    """What a forked child calls first. It can't be unregistered: so it keeps nothing alive."""

    def in_child() -> None:
        watch = seen()
        if watch is not None:
            watch._in_child()

    return in_child
