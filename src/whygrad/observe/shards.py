"""Parameters that are shared out among ranks stay the parameters that they were.

Tensor parallelism puts a DTensor in the place of each parameter. ``fully_shard`` does so too, past the hooks of
``nn.Module``, and gathers the whole of it, in another Parameter, for each use: autograd knows only that one, the optimizer
only the DTensor. All three are one entry here.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from whygrad.observe.modules import Modules
from whygrad.observe.parameters import Tracked
from whygrad.observe.recorder import Recorder
from whygrad.observe.sharding import is_shard
from whygrad.observe.values import shape_of

if TYPE_CHECKING:
    from whygrad.observe.optimizers import Optimizers

#: Where ``fully_shard`` makes the Parameter that autograd sees: the method of its FSDPParam, and frames up to it.
_GATHERS = "init_unsharded_param"
_FRAMES = 8


class Shards:
    """Finds the entry that a sharded or gathered tensor belongs to."""

    def __init__(self, recorder: Recorder, modules: Modules, optimizers: Optimizers) -> None:
        self._recorder, self._modules, self._optimizers = recorder, modules, optimizers

    def replaced(self, module: torch.nn.Module, name: str, tensor: torch.Tensor) -> bool:
        """``tensor`` is about to be put into ``module`` under ``name``: is it what stands there now, as a shard?"""
        if not is_shard(tensor):
            return False
        old = module._parameters.get(name)
        entry = self._recorder.params.find(old) if old is not None else None
        if entry is None or not self._same(entry, tensor):
            return False
        self._recorder.params.adopt(entry, tensor)
        return True

    def predecessor(self, tensor: torch.Tensor) -> Tracked | None:
        """The entry of the parameter in whose place of its module an unknown shard stands. From now on it is its own: it
        has taken the place of a whole parameter for good, or that of another shard for one use."""
        if not is_shard(tensor):
            return None
        params = self._recorder.params
        for entry in self._of(tensor):
            shard = entry.ref()
            if shard is not None and is_shard(shard) and entry.shape == shape_of(tensor):
                params.also(entry, tensor)
                return entry
            if self._same(entry, tensor):
                return params.adopt(entry, tensor)
        return None

    def gathered(self, tensor: torch.Tensor) -> bool:
        """Whether a Parameter that is being made is the gathered one of ``fully_shard``; then it gets its entry."""
        shard = _gathered_from(sys._getframe(1))
        if shard is None:
            return False
        params = self._recorder.params
        entry = params.add(shard, "parameter", -1, self._recorder.tick)
        entry.role = "parameter"  # it may have been seen before torch had made one of it
        params.also(entry, tensor)
        return True

    def _of(self, tensor: torch.Tensor) -> list[Tracked]:
        """Entries of the place where a tensor stands in its module, the newest first."""
        for placed in self._modules.placed:
            module = placed.ref()
            for name, own in module._parameters.items() if module is not None else ():
                if own is tensor:
                    entries = reversed(self._recorder.params.entries)
                    return [e for e in entries if e.name == name and e.module and e.module() is module]
        return []

    def _same(self, entry: Tracked, tensor: torch.Tensor) -> bool:
        """Whether a shard can be this parameter: one that an optimizer holds has been left behind, which is a fault."""
        held = {p for k in self._optimizers.known for g in k.groups for p in g.params}
        return entry.index not in held and entry.shape == shape_of(tensor)


def _gathered_from(frame: FrameType | None) -> Any:
    for _ in range(_FRAMES):
        if frame is None:
            return None
        if frame.f_code.co_name == _GATHERS and "fsdp" in frame.f_code.co_filename:
            return getattr(frame.f_locals.get("self"), "sharded_param", None)
        frame = frame.f_back
    return None
