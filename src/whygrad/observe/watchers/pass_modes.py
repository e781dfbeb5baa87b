"""Which backward passes began while the whole model was in evaluation mode."""

from __future__ import annotations

from typing import Any

import torch

from whygrad.observe.watcher import Watcher

_MODULES = 200  #: that are asked for their mode


class Watch(Watcher):
    """Reads flags only."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._ticks: list[int] = []

    def before_backward(self, losses: list[torch.Tensor]) -> None:
        """The modes of the modules that have called something and have parameters to train."""
        found = False
        for caller in self.recorder.callers.entries[:_MODULES]:
            module = caller.ref()
            if module is None or not _trainable(module):
                continue
            if module.__dict__.get("training", True):
                return
            found = True
        if found:
            self._ticks.append(self.recorder.tick + 1)

    def facts(self) -> dict[str, Any]:
        """The ticks of these passes."""
        return {"evaluating": tuple(self._ticks)}


def _trainable(module: Any) -> bool:
    own = module.__dict__.get("_parameters", {}).values()
    return any(p is not None and p.requires_grad for p in own)
