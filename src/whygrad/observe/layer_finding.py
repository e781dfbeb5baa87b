"""Layers that heed the mode, by the module or the place of their calls: their names, models and parameters."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING

import torch

from whygrad.observe.call import Call
from whygrad.observe.layers import ATTENTION, NORM, RNN, Layer
from whygrad.observe.modules import old_name
from whygrad.observe.running import chain, owner, tree

if TYPE_CHECKING:
    from whygrad.observe.observation import Observation

_MANY = 2000  #: layers that are told apart


class Layers:
    """Those that were called, in the order of their first call."""

    def __init__(self, seen: Observation) -> None:
        self.seen, self.recorder = seen, seen.recorder
        self.all: dict[tuple[int, int, str], Layer] = {}

    def of_module(self, number: int, name: str) -> Layer | None:
        """The layer that a module of torch's is."""
        key = (number, -1, "")
        layer = self.all.get(key)
        if layer is None and len(self.all) < _MANY:
            caller = self.recorder.callers.entries[number]
            module = caller.ref()
            what = "norm" if name in NORM else "dropout"
            layer = self.all[key] = Layer(caller.ref, what, number, caller.kind, self.recorder.stacks.here())
            if module is not None:
                layer.created = self.seen.modules.where_made(module)
                around = chain(sys._getframe(1))
                layer.around = [weakref.ref(one) for one in around]
                self.place(layer, module)
                layer.loose = self._is_loose(module, around)
        return layer

    def functional(self, call: Call, name: str) -> Layer | None:
        """The layer that a call of a function at its place is."""
        if name in RNN or name in ATTENTION:
            return None
        stack = self.recorder.stacks.here()
        holder = owner(sys._getframe(1))
        key = (id(holder), stack, name)
        layer = self.all.get(key)
        if layer is not None and holder is not None and layer.ref() is not holder:
            layer = None
        if layer is None and len(self.all) < _MANY:
            what = "norm" if name in NORM else "dropout"
            ref = None if holder is None else weakref.ref(holder)
            layer = self.all[key] = Layer(ref, what, -1, f"{name}()", stack)
            if holder is not None:
                layer.around = [weakref.ref(one) for one in chain(sys._getframe(1))]
                self.place(layer, holder)
        return layer

    def _is_loose(self, module: torch.nn.Module, around: list[torch.nn.Module]) -> bool:
        """Whether a layer is registered in none of the modules that call it (copies are in nobody's records)."""
        placed = self.seen.modules.known(module)
        others = [one for one in around if one is not module]
        if (placed is not None and placed.parents) or not others:
            return False
        return not any(module is one for other in others for one in tree(other))

    def place(self, layer: Layer, module: torch.nn.Module) -> None:
        """Its name, its model, and the parameters nearest to it."""
        placed = self.seen.modules.known(module)
        if placed is not None and placed.parents:
            layer.fqn = old_name(placed, "").rstrip(".")
        above = self._above(module)
        for one in [ref() for ref in layer.around]:
            if one is not None and not any(one is other for other in above):
                above.append(one)
        last = above[-1]
        above += [one for one in self._above(last) if one is not last]
        layer.own = self._indices(module)
        layer.params = next((found for one in above if (found := self._indices(one))), ())
        layer.root, layer.root_kind = weakref.ref(above[-1]), type(above[-1]).__name__

    def _above(self, module: torch.nn.Module) -> list[torch.nn.Module]:
        """The module and those it was put into, outwards."""
        found = [module]
        placed = self.seen.modules.known(module)
        while placed is not None and placed.parents:
            placed = placed.parents[-1][0]
            around = placed.ref()
            if around is None or any(around is one for one in found):
                break
            found.append(around)
        return found

    def _indices(self, module: torch.nn.Module) -> tuple[int, ...]:
        entries = [
            self.recorder.params.find(parameter)
            for one in tree(module)
            for parameter in one.__dict__.get("_parameters", {}).values()
            if parameter is not None
        ]
        return tuple([entry.index for entry in entries if entry is not None])
