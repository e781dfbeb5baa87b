"""``train()`` and ``eval()``: who called them, and which of the calls set the mode of a module last."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.recorder import Recorder


class _Inside(threading.local):
    """How deep in ``train`` a thread is: a module's calls for its children are torch's own."""

    paused = 0


class _Call:
    """Calls with one mode, at one place, on one module."""

    def __init__(self, mode: bool, kind: str, stack: int, step: int) -> None:
        self.mode, self.kind, self.stack = mode, kind, stack
        self.first = self.last = step
        self.tick = self.count = 0


class Switches:
    """Every outermost call; for each module the last that set it to training and the last that set it to evaluation."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.calls: list[_Call] = []
        self._numbers: dict[tuple[int, bool, int], int] = {}
        self._inside = _Inside()
        self._now: tuple[int, weakref.ref[Any]] | None = None
        self._last: dict[int, tuple[weakref.ref[Any], list[int], bool]] = {}

    def install(self, patches: Patches) -> None:
        """``eval`` calls ``train``, and so do the overridden ones of users that have any effect."""
        patches.around(torch.nn.Module, "train", before=self._called, pausing=self._inside)

    @guarded("train() or eval()", None)
    def _called(self, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        mode = args[0] if args else kwargs.get("mode", True)
        if type(mode) is not bool or not self.recorder.active:
            return
        if not self._inside.paused or self._now is None:
            self._now = self._number(module, mode), weakref.ref(module)
        number, receiver = self._now
        known = self._last.get(id(module))
        last = known[1] if known is not None and known[0]() is module else [-1, -1]
        last[mode] = number
        direct = receiver() is module if not mode else known is not None and known[2]
        self._last[id(module)] = (weakref.ref(module), last, direct)

    def _number(self, module: torch.nn.Module, mode: bool) -> int:
        recorder = self.recorder
        stack = recorder.stacks.here()
        key = (stack, mode, id(type(module)))
        number = self._numbers.get(key, -1)
        if number < 0:
            number = self._numbers[key] = len(self.calls)
            self.calls.append(_Call(mode, type(module).__name__, stack, len(recorder.steps)))
        recorder.tick += 1
        call = self.calls[number]
        call.count, call.last, call.tick = call.count + 1, len(recorder.steps), recorder.tick
        return number

    def of(self, module: Any) -> tuple[int, int, bool]:
        """Numbers of the last calls that set a module to evaluation and to training (-1: none), and whether the former
        was made on that very module."""
        known = self._last.get(id(module))
        if known is None or known[0]() is not module:
            return -1, -1, False
        return known[1][0], known[1][1], known[2]

    def facts(self) -> tuple[t.Switch, ...]:
        """All calls."""
        return tuple(t.Switch(c.mode, c.kind, c.stack, c.tick, c.first, c.last, c.count) for c in self.calls)
