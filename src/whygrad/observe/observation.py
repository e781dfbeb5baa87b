"""The observer as a whole: installs its parts, decides when enough was seen, and takes everything off again."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import torch
from torch.overrides import TorchFunctionMode

from whygrad import trace as t
from whygrad.observe.assemble import assemble, variable_names
from whygrad.observe.backward import Backwards
from whygrad.observe.frames import Stacks
from whygrad.observe.guard import Problems, guarded
from whygrad.observe.mode import Watch
from whygrad.observe.modules import Modules
from whygrad.observe.naming import take_names
from whygrad.observe.optimizers import Optimizers
from whygrad.observe.patches import TorchPatches, watch_new_threads
from whygrad.observe.recorder import Recorder
from whygrad.observe.until import Until


class Observation:
    """Everything installed for one run. ``install`` and ``remove`` leave torch as it was."""

    def __init__(
        self,
        steps: int,
        on_close: Callable[[], None],
        save: Callable[[], None],
        progress: Callable[[int], None],
    ) -> None:
        self.problems = Problems()
        self.recorder = Recorder(Stacks(str(Path(torch.__file__).parent)), self.problems)
        self.optimizers = Optimizers(self.recorder)
        self.backwards = Backwards(self.recorder)
        self.modules = Modules(self.recorder)
        self.patches = TorchPatches(self.recorder, self.optimizers)
        self.until = Until(self.recorder, self.optimizers, self.backwards, steps)
        self.closed = False
        self._on_close, self._save, self._progress = on_close, save, progress
        self._watching = threading.local()
        self._modes: list[tuple[int, TorchFunctionMode]] = []
        self._installed = False
        self._saved = 0
        self._pid = os.getpid()
        self.optimizer_names: dict[int, set[str]] = {}

    def install(self) -> None:
        """Start observing this thread and the threads it starts."""
        self._installed = True
        self.backwards.before_first = self._first_look
        self.backwards.in_step = self.optimizers.in_step
        self.backwards.on_backward = self._after_backward
        self.optimizers.after_step = self._after_step
        self.modules.install()
        self.optimizers.install()
        self.patches.install()
        self._enter_mode()
        watch_new_threads(self._enter_mode)
        os.register_at_fork(after_in_child=self._in_child)

    def _enter_mode(self) -> None:
        if self._installed and not self.closed:
            mode = Watch(self.recorder, self.backwards)
            mode.__enter__()  # type: ignore[no-untyped-call]
            self._modes.append((threading.get_ident(), mode))

    def _in_child(self) -> None:
        """A forked child (a DataLoader worker) is not observed."""
        self.remove()

    def remove(self) -> None:
        """Take every mode, hook and patch off. Idempotent; errors are noted, not raised."""
        if not self._installed:
            return
        if os.getpid() == self._pid and not self.closed:
            self._finish(None)
        self._installed = False
        threading.setprofile(None)
        for part in (self.patches.remove, self.optimizers.remove, self.modules.remove, self._leave_mode):
            try:
                part()
            except Exception as error:
                self.problems.failed("the end of the window", error)

    def _leave_mode(self) -> None:
        """Pop this thread's mode out of the stack of modes, wherever it lies; other threads' modes fall silent."""
        mine = {id(m) for ident, m in self._modes if ident == threading.get_ident()}
        above: list[object] = []
        while torch._C._len_torch_function_stack() > 0:
            mode = torch._C._pop_torch_function_stack()
            if id(mode) in mine:
                break
            above.append(mode)
        for mode in reversed(above):
            torch._C._push_on_torch_function_stack(mode)
        for _, watch in self._modes:
            watch.handler.recorder.paused += 1  # type: ignore[attr-defined]
        self._modes.clear()

    # -- moments -------------------------------------------------------------------------------------

    @guarded("the parameters before the first backward", None)
    def _first_look(self) -> None:
        with self.recorder.pause(), torch._C.DisableTorchFunction():
            self.recorder.params.look_at_all(final=False)
        self._take_names(sys._getframe(1))

    def _take_names(self, frame: FrameType) -> None:
        take_names(self.modules, self.recorder, frame)
        for known in self.optimizers.known:
            optimizer = known.ref()
            if optimizer is not None:
                self.optimizer_names.setdefault(known.index, set()).update(variable_names(optimizer, frame))

    def _after_backward(self) -> None:
        if not self.optimizers.in_step():
            self._moment(self.backwards.count, self.until.after_backward)

    def _after_step(self) -> None:
        self._moment(self.recorder.step, self.until.after_step)

    def _moment(self, count: int, enough: Callable[[], bool]) -> None:
        """After a step or a backward pass: progress, a saved record now and then, and the end of the window."""
        if self.closed:
            self._on_close()
        if self._noted(count, enough):
            self.closed = True
            self._on_close()

    @guarded("the end of a step", False)
    def _noted(self, count: int, enough: Callable[[], bool]) -> bool:
        self._progress(self.recorder.step)
        if enough():
            self._finish(sys._getframe(1))
            self.recorder.light = True  # what runs from here on is the script's way out
            return True
        if count >= max(1, 2 * self._saved):
            self._saved = count
            self._take_names(sys._getframe(1))
            self._save()
        return False

    @guarded("the parameters at the end of the window", None)
    def _finish(self, frame: FrameType | None) -> None:
        with self.recorder.pause(), torch._C.DisableTorchFunction():
            self.recorder.params.look_at_all(final=True)
            for known in self.optimizers.known:
                self.optimizers.read_groups(known)
        self._take_names(frame or sys._getframe(1))

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
            return assemble(self, script, argv, ended, error, status, seconds)
