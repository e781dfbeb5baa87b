"""The modules of torch's that ran: what they are, where they were made, and their mode."""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.modules import old_name
from whygrad.observe.patching import Patches
from whygrad.observe.watcher import Watcher


class Watch(Watcher):
    """Notes where each module is constructed; the rest is known from those that call something."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._read: dict[int, t.Module] = {}

    def install(self, patches: Patches) -> None:
        """Be told of constructors."""
        patches.around(torch.nn.Module, "__init__", after=self._made)

    @guarded("the construction of a module", None)
    def _made(self, token: Any, result: Any, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        self.seen.modules.made_at(module, self.recorder.stacks.here())

    def after_backward(self) -> None:
        """Read them while they are there: a script's objects may be gone when it is over."""
        for index in range(len(self._read), len(self.recorder.callers.entries)):
            self._look(index)

    def window_ends(self) -> None:
        """The last look."""
        for index in range(len(self.recorder.callers.entries)):
            self._look(index)

    def _look(self, index: int) -> None:
        caller, modules = self.recorder.callers.entries[index], self.seen.modules
        module = caller.ref()
        if module is None:
            self._read.setdefault(index, t.Module(caller.kind, "", -1, False, caller.options))
            return
        placed = modules.known(module)
        name = "" if placed is None or not placed.parents else old_name(placed, "").rstrip(".")
        made = modules.where_made(module)
        self._read[index] = t.Module(caller.kind, name, made, module.training, caller.options)

    def facts(self) -> dict[str, Any]:
        """One record for each caller, in their order."""
        for index in range(len(self.recorder.callers.entries)):
            if index not in self._read or self.recorder.callers.entries[index].ref() is not None:
                self._look(index)
        return {"modules": tuple(self._read[i] for i in sorted(self._read))}
