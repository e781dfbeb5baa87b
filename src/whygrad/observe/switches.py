"""``train()`` and ``eval()``: who called them, which of the calls set the mode of a module last, and whether a part that was
put into evaluation mode by itself was put back together with the whole."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
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


class _Part:
    """A module that ``eval()`` of a part of its model has reached: the number of the call, whose it was, the call on
    something else that put the module back (-1: none), and whether it ran in between."""

    def __init__(self, module: Any, number: int, receiver: Any) -> None:
        self.ref, self.number, self.receiver = weakref.ref(module), number, weakref.ref(receiver)
        self.undone, self.used = -1, False


class Switches:
    """Every outermost call; for each module the last that set it to training and the last that set it to evaluation.
    ``is_part``: whether a module lies in another one."""

    def __init__(self, recorder: Recorder, is_part: Callable[[Any], bool]) -> None:
        self.recorder = recorder
        self._is_part = is_part
        self._parts: dict[int, _Part] = {}
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
        self._apart(module, mode, number, receiver())

    def _apart(self, module: torch.nn.Module, mode: bool, number: int, receiver: Any) -> None:
        part = self._parts.get(id(module))
        known = part is not None and part.ref() is module
        if not mode and receiver is not None and self._is_part(receiver):
            self._parts[id(module)] = _Part(module, number, receiver)
        elif mode and known and part is not None:
            if receiver is part.receiver() or receiver is module:
                del self._parts[id(module)]  # put back by the same hand
            elif part.undone < 0:
                part.undone = number

    def ran(self, module: Any) -> None:
        """A module has run in evaluation mode."""
        part = self._parts.get(id(module))
        if part is not None and part.undone < 0:
            part.used = True

    def undone(self, module: Any) -> tuple[int, int, bool]:
        """The call that put a module, as a part, into evaluation mode, the later one that put it back with the whole
        (-1: none), and whether it ran in between."""
        part = self._parts.get(id(module))
        if part is None or part.ref() is not module:
            return -1, -1, False
        return part.number, part.undone, part.used

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
