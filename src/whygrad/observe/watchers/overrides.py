"""Modules whose own ``train`` freezes a part of them, and was never called: a model begins in training mode without it."""

from __future__ import annotations

import weakref
from types import FunctionType
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.definitions import place
from whygrad.observe.freezing import calls_original, freezes
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.restoring import named
from whygrad.observe.running import tree
from whygrad.observe.watcher import Watcher

_MODULES = 2000  #: that are asked
_NORM = torch.nn.modules.batchnorm._NormBase


class Watch(Watcher):
    """Hears of calls, and reads the source of those that never came."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._trained: dict[int, weakref.ref[Any]] = {}
        self._found: dict[int, t.Unapplied] = {}

    def install(self, patches: Patches) -> None:
        """An override that has any effect calls torch's own."""
        patches.around(torch.nn.Module, "train", before=self._called)

    @guarded("train()", None)
    def _called(self, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        mode = args[0] if args else kwargs.get("mode", True)
        if mode is True and not type(module).__module__.startswith("torch."):
            self._trained[id(module)] = weakref.ref(module)

    @guarded("train() that never ran", None)
    def window_ends(self) -> None:
        """The modules are still there now."""
        for placed in self.seen.modules.placed[:_MODULES]:
            module = placed.ref()
            ref = self._trained.get(id(module))
            if module is None or (ref is not None and ref() is module) or not module.__dict__.get("training"):
                continue
            function = _override(type(module))
            if function is not None and self.recorder.stacks.is_user(function.__code__):
                self._judge(module, function)

    def _judge(self, module: torch.nn.Module, function: FunctionType) -> None:
        stacks = self.recorder.stacks
        if not calls_original(stacks, function):
            return
        params: dict[int, None] = {}
        norms, lines = 0, list[int]()
        for freeze in freezes(stacks, module, function):
            part = module.__dict__.get("_modules", {}).get(freeze.attribute, module)
            if freeze.mode:
                here = sum(isinstance(m, _NORM) and m.__dict__.get("training") is True for m in tree(part))
                norms += here
            elif freeze.attribute:  # otherwise it is not known which of them
                free = [
                    e.index for _, p in named(part) if (e := self._find(p)) is not None and e.requires_grad
                ]
                params.update(dict.fromkeys(free))
                here = len(free)
            else:
                continue
            if here:
                lines.append(place(stacks, freeze.code, freeze.line))
        if lines:
            stack = place(stacks, function.__code__, function.__code__.co_firstlineno)
            kind = type(module).__name__
            self._found[id(module)] = t.Unapplied(stack, kind, tuple(lines), tuple(params), norms)

    def _find(self, parameter: torch.Tensor) -> Any:
        return self.recorder.params.find(parameter)

    def facts(self) -> dict[str, Any]:
        """One record for each module."""
        return {"unapplied": tuple(self._found.values())}


def _override(kind: type) -> FunctionType | None:
    """A class's own ``train``, if it is not torch's."""
    if kind.__module__.partition(".")[0] == "torch":
        return None
    owner = next((c for c in kind.__mro__ if "train" in c.__dict__), torch.nn.Module)
    found = owner.__dict__.get("train")
    return found if owner is not torch.nn.Module and type(found) is FunctionType else None
