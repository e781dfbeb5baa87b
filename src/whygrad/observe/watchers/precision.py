"""Regions of autocast: when each begins and ends."""

from __future__ import annotations

import sys
import threading
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.watcher import Watcher

_REGIONS = 300
_FRAMES = 6  #: between a decorated function and the entry


class _Open(threading.local):
    """The regions that a thread is in, innermost last: their numbers, -1 for those that are not noted."""

    def __init__(self) -> None:
        self.numbers: list[int] = []


class Watch(Watcher):
    """Only within the window: what is computed in a region is known from the operations that are recorded."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._regions: list[list[Any]] = []
        self._open = _Open()
        self._devices: dict[str, None] = {}

    def install(self, patches: Patches) -> None:
        """Decorated functions enter it the same way."""
        kind = torch.amp.autocast_mode.autocast
        patches.around(kind, "__enter__", after=self._enters)
        patches.around(kind, "__exit__", before=self._leaves)

    @guarded("autocast", None)
    def _enters(self, token: Any, result: Any, region: Any) -> None:
        recorder = self.recorder
        number = -1
        if not recorder.light and not recorder.own.paused and len(self._regions) < _REGIONS:
            recorder.tick += 1
            number = len(self._regions)
            dtype = str(region.fast_dtype).removeprefix("torch.")
            enabled = bool(region._enabled)
            self._regions.append([self._place(), str(region.device), dtype, enabled, recorder.tick, -1])
        self._open.numbers.append(number)

    def _place(self) -> int:
        """The present stack; where a function is decorated, its decorator first."""
        stacks, frame = self.recorder.stacks, sys._getframe(2)
        here = stacks.here(frame)
        for _ in range(_FRAMES):
            code = getattr(frame.f_locals.get("func"), "__code__", None)
            if frame.f_code.co_name == "decorate_autocast" and code is not None and stacks.is_user(code):
                own = stacks.stacks[here] if here >= 0 else ()
                return stacks.intern((stacks.code_frame(code), *own))
            if frame.f_back is None:
                break
            frame = frame.f_back
        return here

    @guarded("autocast", None)
    def _leaves(self, region: Any, *args: Any, **kwargs: Any) -> None:
        number = self._open.numbers.pop() if self._open.numbers else -1
        if number >= 0:
            self.recorder.tick += 1
            self._regions[number][5] = self.recorder.tick

    def window_ends(self) -> None:
        """Where the parameters lie now."""
        if not self._regions:
            return
        entries = self.recorder.params.entries
        for known in self.seen.optimizers.known:
            for index in {p for group in known.groups for p in group.params}:
                tensor = entries[index].ref()
                if tensor is not None:
                    self._devices.setdefault(tensor.device.type)

    def facts(self) -> dict[str, Any]:
        """All regions, in order."""
        regions = tuple([t.Region(*row) for row in self._regions])
        return {"precision": t.Precision(regions, tuple(self._devices))}
