"""Where the training thread stands, looked at from another thread once a second: how long it has not moved, and whether
it waits for other ranks. Nothing is patched for it, and the training does not notice."""

from __future__ import annotations

import linecache
import sys
import threading
import time
from pathlib import Path
from types import FrameType

import torch

from whygrad import trace as t
from whygrad.home import RESOLVED
from whygrad.observe.frames import Stacks
from whygrad.ranks.job import Where

_TORCH = str(Path(torch.__file__).parent)
#: Python code of torch's from which ranks wait for each other.
_WAITING = tuple(f"{_TORCH}/{part}/" for part in ("distributed", "nn/parallel"))
#: From here torch calls into C++ for others: the frame around it says what for.
_PASSING = (f"{_TORCH}/_ops.py", f"{_TORCH}/utils/", f"{_TORCH}/_tensor.py")
_BACKWARD = f"{_TORCH}/autograd/"
#: Functions around others that say nothing about what is called.
_AROUND = {"wrapper", "_fn", "inner", "_call_impl", "_wrapped_call_impl", "__call__", "decorate_context"}
#: Share of a core from which a process is said to compute, although its thread is always met in the same place.
_BUSY = 0.2


class Standing:
    """The looks at one thread."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks
        self._thread = threading.main_thread().ident
        self._at: tuple[int, int] = (0, 0)
        self._since = 0.0
        self._last = (0.0, 0.0)
        self._where = Where()
        #: For the trace: see :meth:`take`.
        self.taken: t.Standing | None = None

    def look(self) -> Where:
        """One look. Called from one other thread only."""
        frame = sys._current_frames().get(self._thread or 0)
        user, inside = self._user(frame)
        code = linecache.getline(user.f_code.co_filename, user.f_lineno).strip() if user is not None else ""
        now, cpu = time.monotonic(), time.process_time()
        busy = cpu - self._last[1] > _BUSY * (now - self._last[0])
        self._last = now, cpu
        waits = _waits(inside, code, busy)
        at = (0, 0) if frame is None else (id(frame), frame.f_lasti)
        # a loop that computes is met at one and the same instruction: where it lets other threads run
        if at != self._at or user is None or (busy and not waits):
            self._at, self._since = at, now
        self._where = Where()
        if user is not None:
            file, line, seconds = user.f_code.co_filename, user.f_lineno, now - self._since
            self._where = Where(file, line, code, _called(inside, code), seconds, waits)
        return self._where

    def take(self) -> None:
        """Keep the last look for the trace; none if asked by the thread itself, which then stands nowhere."""
        if threading.get_ident() != self._thread:
            where, frame = self._where, sys._current_frames().get(self._thread or 0)
            self.taken = t.Standing(where.call, self._stacks.here(frame), where.seconds, where.waits)

    def _user(self, frame: FrameType | None) -> tuple[FrameType | None, list[FrameType]]:
        """The innermost frame of the user's, and those of torch's inside it, the outermost first."""
        inside: list[FrameType] = []
        while frame is not None and not self._stacks.is_user(frame.f_code):
            if not frame.f_code.co_filename.startswith(RESOLVED):
                inside.append(frame)
            frame = frame.f_back
        return frame, inside[::-1]


def _called(inside: list[FrameType], code: str) -> str:
    """What the user calls there, as it is written: ``all_reduce``, ``backward``, ``DistributedDataParallel.forward``."""
    for frame in inside:
        name = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
        if frame.f_code.co_name not in _AROUND and "<" not in name:
            return str(name).removeprefix("Tensor.")
    return "wait" if ".wait(" in code else ""


def _waits(inside: list[FrameType], code: str, busy: bool) -> bool:
    """Whether what runs innermost waits for other ranks. A backward pass does only if it does not compute."""
    files = [f.f_code.co_filename for f in inside]
    while files and files[-1].startswith(_PASSING):
        files.pop()
    if not files:
        return ".wait(" in code and not busy
    return files[-1].startswith(_WAITING) or (files[-1].startswith(_BACKWARD) and not busy)
