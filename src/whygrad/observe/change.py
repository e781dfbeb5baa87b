"""An intervention at work: the calls it changes, and what it does to the optimizers."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils.hooks import RemovableHandle

from whygrad.observe.intervening import Intervening
from whygrad.observe.modules import Modules
from whygrad.observe.optimizers import Optimizers
from whygrad.observe.recorder import Recorder
from whygrad.observe.repairing import Repair
from whygrad.proving.intervention import Intervention


class Change:
    """Both halves of an intervention, installed and removed together with the observer."""

    def __init__(
        self, intervention: Intervention, recorder: Recorder, optimizers: Optimizers, modules: Modules
    ) -> None:
        self._calls = Intervening(intervention, self._applied)
        self._recorder = recorder
        self._times = 0
        self._repair = Repair(intervention, recorder, optimizers, modules)
        self._handle: RemovableHandle | None = None
        if intervention.kind == "grad-in-closure":
            optimizers.around_closure = self._enabled

    def install(self) -> None:
        """Before the observer's own hooks and patches, so that it sees the run as it is changed."""
        self._calls.install()
        self._handle = register_optimizer_step_pre_hook(self._before_step)

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self._repair.before_step(optimizer, sys._getframe(1))

    def _enabled(self) -> AbstractContextManager[None]:
        self._applied()
        return torch.enable_grad()

    def _applied(self) -> None:
        self._times += 1

    def note(self) -> None:
        """Tell the record how often the run really differed; without that, a proof run proves nothing."""
        self._recorder.event("intervened", -1, data={"times": float(self._times + self._repair.applied)})

    def enter(self) -> None:
        """After the observer's mode was entered."""
        self._calls.enter()

    def before_first_backward(self, frame: FrameType) -> None:
        """See :class:`Repair`."""
        self._repair.before_first_backward(frame)

    def after_backward(self) -> None:
        """See :class:`Repair`."""
        self._repair.after_backward()

    def leave(self) -> None:
        """Before the observer's mode is left."""
        self._calls.leave()

    def remove(self) -> None:
        """After the observer's patches are gone."""
        self._calls.remove()
        if self._handle is not None:
            self._handle.remove()
