"""The function mode in every thread that the script trains in: a mode belongs to the thread that entered it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from whygrad.observe.guard import guarded
from whygrad.observe.recorder import Recorder


class Modes:
    """Enters a mode in the thread it is installed from, and in every one started later."""

    def __init__(self, recorder: Recorder, make: Callable[[], TorchFunctionMode]) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self._make = make
        self._own = threading.local()
        self._before: Any = None
        self._hook = self._first_moment

    def install(self) -> None:
        """Begin; threads that run already are not reached."""
        self.enter()
        self._before = threading.getprofile()
        threading.setprofile(self._hook)

    def _first_moment(self, frame: FrameType, event: str, arg: Any) -> None:
        """Called in a new thread as its profiler, once: the script's own takes over at once."""
        sys.setprofile(self._before)
        self.enter()
        if self._before is not None:
            self._before(frame, event, arg)

    @guarded("a thread", None)
    def enter(self) -> None:
        """Enter a mode in this thread."""
        if self.recorder.active:
            mode = self._make()
            mode.__enter__()
            self._own.mode = mode

    def remove(self) -> None:
        """Leave this thread's mode; those of other threads do nothing any more and end with them."""
        if threading.getprofile() == self._hook:
            threading.setprofile(self._before)
        self.leave()

    def leave(self) -> None:
        """Take this thread's mode out of the stack of modes, wherever it lies."""
        mine = getattr(self._own, "mode", None)
        above: list[Any] = []
        while mine is not None and torch._C._len_torch_function_stack() > 0:
            mode = torch._C._pop_torch_function_stack()
            if mode is mine:
                break
            above.append(mode)
        for mode in reversed(above):
            torch._C._push_on_torch_function_stack(mode)
        self._own.mode = None
