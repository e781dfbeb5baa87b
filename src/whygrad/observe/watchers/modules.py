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

    def install(self, patches: Patches) -> None:
        """Be told of constructors."""
        patches.around(torch.nn.Module, "__init__", after=self._made)

    @guarded("the construction of a module", None)
    def _made(self, token: Any, result: Any, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        self.seen.modules.made_at(module, self.recorder.stacks.here())

    def facts(self) -> dict[str, Any]:
        """One record for each caller, in their order."""
        modules = self.seen.modules
        found = []
        for caller in self.recorder.callers.entries:
            module = caller.ref()
            placed = None if module is None else modules.known(module)
            name = "" if placed is None or not placed.parents else old_name(placed, "").rstrip(".")
            made = -1 if module is None else modules.where_made(module)
            training = module is not None and module.training
            found.append(t.Module(caller.kind, name, made, training, caller.options))
        return {"modules": tuple(found)}
