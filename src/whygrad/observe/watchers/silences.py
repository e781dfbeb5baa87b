"""Passes without autograd after the window: an evaluation that comes once an epoch is looked at in full, once a place."""

from __future__ import annotations

from typing import Any

from whygrad.observe.call import Call
from whygrad.observe.guard import guarded
from whygrad.observe.layers import DROPOUT, NORM
from whygrad.observe.patching import Patches
from whygrad.observe.watcher import Watcher

_PLACES = 6  #: that are looked at
_OPS = 4000  #: recorded for each of them, at most


class Watch(Watcher):
    """While the script is only followed, records what runs with autograd switched off."""

    names = NORM | DROPOUT

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._looked: set[int] = set()
        self._depth = -1  #: of blocks without autograd, where one is being looked at
        self._begun = 0

    def install(self, patches: Patches) -> None:
        """Be told of blocks without autograd."""
        self.recorder.on_grad_off, self.recorder.on_grad_back = self._off, self._back

    @guarded("a block without autograd", None)
    def _off(self, stack: int) -> None:
        recorder = self.recorder
        self.seen.until.ran(stack)
        following = recorder.light and recorder.deadline and not self.seen.closed
        if not following or self.seen.optimizers.expecting or recorder.own.paused or stack in self._looked:
            self._looked |= set() if recorder.light else {stack}
            return
        if len(self._looked) >= _PLACES or self.seen.optimizers.in_step():
            return
        self._looked.add(stack)
        self._depth, self._begun = len(recorder.own.grad_off_before), len(recorder.ops)
        recorder.light = False

    @guarded("the end of a block without autograd", None)
    def _back(self) -> None:
        if self._depth >= 0 and len(self.recorder.own.grad_off_before) < max(self._depth, 1):
            self._enough()

    def called(self, call: Call) -> None:
        """A long evaluation is recorded at its beginning only."""
        if self._depth >= 0 and len(self.recorder.ops) - self._begun > _OPS:
            self._enough()

    def after_step(self) -> None:
        """A step was taken within the block: it is no evaluation."""
        if self._depth >= 0:
            self._enough()

    def _enough(self) -> None:
        self._depth = -1
        self.recorder.light = True
