"""The observer as a whole: installs its parts, decides when enough was seen, and takes everything off again."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import torch

from whygrad import trace as t
from whygrad.observe.assemble import assemble, variable_names
from whygrad.observe.backward import Backwards
from whygrad.observe.change import Change
from whygrad.observe.frames import Stacks
from whygrad.observe.guard import Problems, guarded
from whygrad.observe.mode import Watch
from whygrad.observe.modules import Modules
from whygrad.observe.naming import take_names
from whygrad.observe.optimizers import Optimizers
from whygrad.observe.overfitting import Overfitting
from whygrad.observe.patches import TorchPatches
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder
from whygrad.observe.repeating import WINDOW, Repeating
from whygrad.observe.shards import Shards
from whygrad.observe.threads import Modes
from whygrad.observe.until import Until
from whygrad.observe.watcher import Watchers

if TYPE_CHECKING:
    from whygrad.observe.standing import Standing
    from whygrad.proving.intervention import Intervention
    from whygrad.proving.sandbox import Files


class Observation:
    """Everything installed for one run. ``install`` and ``remove`` leave torch as it was."""

    def __init__(
        self,
        steps: int,
        on_close: Callable[[], None],
        save: Callable[[], None],
        progress: Callable[[int], None],
        intervention: Intervention | None = None,
        files: Files | None = None,
    ) -> None:
        self.problems = Problems()
        self.recorder = Recorder(Stacks(str(Path(torch.__file__).parent)), self.problems)
        self.optimizers = Optimizers(self.recorder)
        self.backwards = Backwards(self.recorder)
        self.modules = Modules(self.recorder)
        self.patches = TorchPatches(self.recorder, self.optimizers, files)
        self.shards = Shards(self.recorder, self.modules, self.optimizers)
        self.watchers = Watchers(self)
        self.standing: Standing | None = None
        self.overfitting: Overfitting | None = None
        self.change: Change | Overfitting | None = None
        if intervention is not None and intervention.kind == "overfit":
            self.overfitting = self.change = Overfitting(self.recorder, self.optimizers, self.modules, steps)
        elif intervention is not None:
            self.change = Change(intervention, self.recorder, self.optimizers, self.modules)
        full = steps if self.overfitting is None else min(steps, WINDOW)
        self.until = Until(self.recorder, self.optimizers, self.backwards, full, self.watchers.expects)
        self.until.looks_ahead = self.change is None
        self._window = self.until if self.overfitting is None else Repeating(self.until, steps)
        self.closed = False
        self._on_close, self._save, self._progress = on_close, save, progress
        self._modes = Modes(self.recorder, self._watch)
        self._installed = False
        self._saved: dict[str, int] = {}
        self._pid = os.getpid()
        self.cwd = str(Path.cwd())  # a script may change it later; the places are told from here
        self.optimizer_names: dict[int, set[str]] = {}

    def _watch(self) -> Watch:
        """A mode for one more thread; it knows what it belongs to, and keeps it no longer than it is needed."""
        watch = Watch(self.recorder, self.backwards)
        watch.seen_by = weakref.ref(self)
        return watch

    def install(self) -> None:
        """Start observing this thread and the threads it starts."""
        self._installed = True
        self.backwards.before_first = self._first_look
        self.backwards.in_step = self.optimizers.in_step
        self.backwards.on_backward = self._after_backward
        self.optimizers.after_step = self._after_step
        self.recorder.on_late = self._overdue
        self.modules.install()
        self.modules.sharded, self.patches.gathered = self.shards.replaced, self.shards.gathered
        self.recorder.params.predecessor = self.shards.predecessor
        if self.change is not None:
            self.change.install()
        self.optimizers.install()
        self.patches.install()
        self.watchers.install(self.patches.patches)
        self.backwards.before_backward = lambda losses: self.watchers.tell("before_backward", losses)
        self.backwards.install(self.patches.patches)
        self._modes.install()
        if self.change is not None:
            self.change.enter()
        os.register_at_fork(after_in_child=_calling(weakref.ref(self)))

    def in_child(self) -> None:
        """A forked child (a DataLoader worker) is not observed."""
        self.problems.lock = threading.RLock()  # another thread of the parent's may have held it
        self.remove()

    def remove(self) -> None:
        """Take every mode, hook and patch off. Idempotent; errors are noted, not raised."""
        if not self._installed:
            return
        if os.getpid() == self._pid and not self.closed:
            self._finish(None)
        self._installed = self.recorder.active = False
        parts = [self.patches.remove, self.optimizers.remove, self.modules.remove, self._modes.remove]
        if self.change is not None:
            parts = [self.change.leave, *parts, self.change.remove]
        for part in parts:
            try:
                part()
            except Exception as error:
                self.problems.failed("the end of the window", error)

    def suspend(self) -> None:
        """See nothing until :meth:`resume`: another observation, of a piece of the code, takes its turn."""
        self.recorder.active = False
        self.patches.patches.pause()

    def resume(self) -> None:
        """Go on observing."""
        if self._installed:
            self.patches.patches.resume()
            self.recorder.active = True

    # -- moments -------------------------------------------------------------------------------------

    @guarded("the parameters before the first backward", None)
    def _first_look(self) -> None:
        if self.change is not None:
            self.change.before_first_backward(sys._getframe(1))
        with Quiet():
            self.recorder.params.look_at_all(final=False)
        self._take_names(sys._getframe(1))

    def _take_names(self, frame: FrameType) -> None:
        take_names(self.modules, self.recorder, frame)
        for known in self.optimizers.known:
            optimizer = known.ref()
            if optimizer is not None:
                self.optimizer_names.setdefault(known.index, set()).update(variable_names(optimizer, frame))

    def _after_backward(self) -> None:
        if self.change is not None:
            self.change.after_backward()
        self.watchers.tell("after_backward")
        if not self.optimizers.in_step():
            self._moment("backward", self.backwards.count, self._window.after_backward)

    def _after_step(self) -> None:
        self.watchers.tell("after_step")
        self._moment("step", self.recorder.step, self._window.after_step)

    def _overdue(self) -> None:
        self._moment("late", 0, lambda: True)

    def _moment(self, what: str, count: int, enough: Callable[[], bool]) -> None:
        """After a step or a backward pass: progress, a saved record now and then, and the end of the window."""
        if self.closed:
            self._on_close()
        if self._noted(what, count, enough):
            self.closed = True
            self._on_close()

    @guarded("the end of a step", False)
    def _noted(self, what: str, count: int, enough: Callable[[], bool]) -> bool:
        self._progress(self.recorder.step)
        if enough():
            self._finish(sys._getframe(1))
            self.recorder.light = True  # what runs from here on is the script's way out
            self.recorder.deadline = 0.0
            return True
        if count >= max(1, 2 * self._saved.get(what, 0)):
            self._saved[what] = count
            self._take_names(sys._getframe(1))
            self._save()
        return False

    @guarded("the parameters at the end of the window", None)
    def _finish(self, frame: FrameType | None) -> None:
        if self.change is not None:
            self.change.note()
        with Quiet():
            self.recorder.params.look_at_all(final=True)
            for known in self.optimizers.known:
                self.optimizers.read_groups(known)
        self._take_names(frame or sys._getframe(1))
        self.watchers.tell("window_ends")

    @guarded("the variables of functions that raised", None)
    def _names_of_the_fallen(self, error: BaseException) -> None:
        """The functions that were running are over by now, but the traceback still has their variables."""
        link = error.__traceback__
        while link is not None and link.tb_next is not None:
            link = link.tb_next
        if link is not None:
            self._take_names(link.tb_frame)

    def trace(
        self,
        script: str,
        argv: tuple[str, ...],
        ended: str,
        error: BaseException | None,
        status: int,
        seconds: float,
    ) -> t.Trace:
        """Everything seen so far as one value."""
        with self.recorder.pause():
            if error is not None:
                self._names_of_the_fallen(error)
            if ended in ("hung", "stopped") and self.standing is not None:
                self.standing.take()
            return assemble(self, script, argv, ended, error, status, seconds)


def _calling(seen: weakref.ref[Observation]) -> Callable[[], None]:
    """What a forked child calls first. It can't be unregistered: so it keeps nothing alive."""

    def in_child() -> None:
        observation = seen()
        if observation is not None:
            observation.in_child()

    return in_child
