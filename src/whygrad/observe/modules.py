"""Modules as they are built: which parameter, buffer or submodule was put where, by which line.

Only torch's own registration hooks are used; modules are held weakly and found by identity, since some are
unhashable. Names are worked out later, by ``ownership``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules import module as hooks
from torch.utils.hooks import RemovableHandle

from whygrad.observe.frames import Stacks
from whygrad.observe.guard import guarded
from whygrad.observe.recorder import Recorder

_CONTAINERS = (torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.Sequential)


class Placed:
    """A module, and under which names and where it was put into others: (parent, name, stack), newest last.
    ``created`` is where something was first put into it, or it into something; ``late``: into a finished module."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.ref = weakref.ref(module)
        self.kind = type(module).__name__
        self.norm_layer = is_norm(module)
        self.parents: list[tuple[Placed, str, int]] = []
        self.late = False
        self.created = -1
        self.index = 0


def is_norm(module: torch.nn.Module) -> bool:
    """Whether a module is one of torch's normalisation layers, or calls itself one."""
    kinds = (
        torch.nn.LayerNorm,
        torch.nn.GroupNorm,
        torch.nn.modules.batchnorm._NormBase,
        torch.nn.LocalResponseNorm,
    )
    return isinstance(module, kinds) or "Norm" in type(module).__name__


class Modules:
    """Every module that was built (or registered into another) while observing."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.placed: list[Placed] = []
        self._by_id: dict[int, Placed] = {}
        self._made: dict[int, tuple[weakref.ref[torch.nn.Module], int]] = {}
        self._handles: list[RemovableHandle] = []
        #: Whether a tensor that is put in a parameter's place is that parameter, now shared out among ranks.
        self.sharded: Callable[[torch.nn.Module, str, torch.Tensor], bool] = lambda *_: False

    def install(self) -> None:
        """Register the global registration hooks."""
        self._handles.append(hooks.register_module_parameter_registration_hook(self._parameter))
        self._handles.append(hooks.register_module_buffer_registration_hook(self._buffer))
        self._handles.append(hooks.register_module_module_registration_hook(self._module))

    def remove(self) -> None:
        """Take the hooks off."""
        for handle in self._handles:
            handle.remove()

    def find(self, module: torch.nn.Module) -> Placed:
        """The entry of a module, made if it is new."""
        placed = self._by_id.get(id(module))
        if placed is None or placed.ref() is not module:
            placed = Placed(module)
            placed.index = len(self.placed)
            self.placed.append(placed)
            self._by_id[id(module)] = placed
        return placed

    def known(self, module: torch.nn.Module) -> Placed | None:
        """The entry of a module, if it has one."""
        placed = self._by_id.get(id(module))
        return placed if placed is not None and placed.ref() is module else None

    def made_at(self, module: torch.nn.Module, stack: int) -> None:
        """A module is being constructed by ``stack``."""
        self._made[id(module)] = (weakref.ref(module), stack)

    def where_made(self, module: torch.nn.Module) -> int:
        """Where a module was constructed; -1 if that was not seen."""
        made = self._made.get(id(module))
        return made[1] if made is not None and made[0]() is module else -1

    @guarded("the registration of a parameter", None)
    def _parameter(self, module: torch.nn.Module, name: str, param: torch.Tensor | None) -> None:
        if param is not None:
            self._own(module, name, param, "parameter")

    @guarded("the registration of a buffer", None)
    def _buffer(self, module: torch.nn.Module, name: str, buffer: torch.Tensor | None) -> None:
        if buffer is not None and buffer.dtype.is_floating_point:
            self._own(module, name, buffer, "buffer")

    def _own(self, module: torch.nn.Module, name: str, tensor: torch.Tensor, role: str) -> None:
        recorder = self.recorder
        with torch._C.DisableTorchFunction():
            stack = recorder.stacks.here()
            placed = self.find(module)
            if placed.created < 0:
                placed.created = stack
            if role == "parameter" and not isinstance(tensor, torch.nn.Parameter):
                role = "tensor"  # some libraries put plain non-leaf tensors into _parameters
            if self.sharded(module, name, tensor):
                return
            entry = recorder.params.add(tensor, role, stack, recorder.tick)
            entry.assigned, entry.name = stack, name
            entry.late = not recorder.stacks.same_construction(stack, placed.created)
            entry.module_class = placed.kind
            entry.module = weakref.ref(module)
            entry.placed = placed

    @guarded("the registration of a module", None)
    def _module(self, module: torch.nn.Module, name: str, child: torch.nn.Module | None) -> None:
        if child is None:
            return
        stacks = self.recorder.stacks
        parent, placed, stack = self.find(module), self.find(child), stacks.here()
        for one in (parent, placed):
            one.created = one.created if one.created >= 0 else stack
        placed.parents.append((parent, name, stack))
        # a container that nothing holds yet is being filled, one call after the other
        filled = isinstance(module, _CONTAINERS) and not parent.parents and name not in module._modules
        placed.late = not filled and not stacks.same_construction(stack, parent.created)


def old_name(placed: Placed, name: str, seen: tuple[Any, ...] = ()) -> str:
    """The name a tensor had when it was registered, by the places its module was put into."""
    parts = [name]
    while placed.parents and placed not in seen:
        seen = (*seen, placed)
        placed, own, _ = placed.parents[-1]
        parts.append(own)
    return ".".join(reversed(parts))


def arrival(placed: Placed, stacks: Stacks) -> tuple[bool, bool]:
    """How a module came into its model: whether it, or what it was made in, was put into a finished module; and whether
    that was handed, ready-made, to the constructor of the module around it (what became of that one does not count)."""
    late = False
    seen: list[Placed] = []
    while placed.parents and placed not in seen:
        seen.append(placed)
        parent, _, stack = placed.parents[-1]
        if stacks.in_constructor(stack) and not stacks.made_inside(placed.created, stack):
            return late, True
        late = late or placed.late
        placed = parent
    return late, False
