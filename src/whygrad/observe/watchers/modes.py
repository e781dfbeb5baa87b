"""In which mode layers run that heed it, at which optimizer steps, and what happens to running statistics."""

from __future__ import annotations

import sys
import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.constants import calls
from whygrad.observe.guard import guarded
from whygrad.observe.layer_facts import constant, look, record
from whygrad.observe.layer_finding import Layers
from whygrad.observe.layers import ATTENTION, DROPOUT, NORM, RNN, Layer, mode_of, number_of, share_of
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.statistics import Statistics, misfit
from whygrad.observe.switches import Switches
from whygrad.observe.watcher import Watcher

_SILENT = 4  #: operations without gradient that are kept of a layer
_LOOKS = 3  #: calls in evaluation mode that are measured


class Watch(Watcher):
    """Sees the calls themselves while it may, and only the flag ``training`` after that."""

    names = NORM | DROPOUT | RNN | ATTENTION

    def install(self, patches: Patches) -> None:
        """Switches, the momentum a layer is made with, and loaders."""
        self.switches = Switches(self.recorder, self._is_part)
        self.switches.install(patches)
        self._layers = Layers(self.seen)
        self._made_with: dict[int, tuple[weakref.ref[Any], float | None]] = {}
        self._loaders: dict[int, list[int]] = {}
        self._loader_made: dict[int, tuple[weakref.ref[Any], int]] = {}
        patches.around(torch.nn.modules.batchnorm._NormBase, "__init__", after=self._norm_made)
        patches.around(torch.utils.data.DataLoader, "__init__", after=self._loader_was_made)
        patches.around(torch.utils.data.DataLoader, "__iter__", before=self._loader_used)

    # -- what is told --------------------------------------------------------------------------------

    def _is_part(self, module: torch.nn.Module) -> bool:
        placed = self.seen.modules.known(module)
        return placed is not None and bool(placed.parents)

    @guarded("the construction of a layer", None)
    def _norm_made(self, token: Any, result: Any, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        momentum = module.__dict__.get("momentum")
        self._made_with[id(module)] = (weakref.ref(module), number_of(momentum))

    @guarded("the construction of a DataLoader", None)
    def _loader_was_made(self, token: Any, result: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
        if loader.__dict__.get("batch_size") == 1:
            self._loader_made[id(loader)] = (weakref.ref(loader), self.recorder.stacks.here())

    @guarded("a DataLoader", None)
    def _loader_used(self, loader: Any, *args: Any, **kwargs: Any) -> None:
        made = self._loader_made.get(id(loader))
        if made is not None and made[0]() is loader:
            self._loaders.setdefault(made[1], [self.recorder.step])

    def called(self, call: Call) -> None:
        """Which layer it was, in which mode, with a gradient or without."""
        name = call.function.name
        ops = self.recorder.ops
        number = ops[call.op].module if call.op >= 0 else self.recorder.callers.here(sys._getframe(1))
        layer = self._layers.of_module(number, name) if number >= 0 else self._layers.functional(call, name)
        if layer is None:
            return
        module = layer.ref() if layer.ref is not None else None
        training = mode_of(call, name, module)
        if training is None:
            return
        if not training and number >= 0:
            self.switches.ran(module)
        result = call.result[0] if type(call.result) is tuple else call.result
        recorded = torch.is_grad_enabled() and result.requires_grad
        if layer.p is None and layer.what == "dropout":
            layer.p = share_of(call, name, module)
        if recorded:
            layer.now |= 1 if training else 2
        elif training and not torch.is_grad_enabled():
            layer.without_grad += 1
            if call.op >= 0 and len(layer.silent) < _SILENT:
                layer.silent.append(call.op)
        if number < 0 and module is not None and module.training is not training:
            layer.follows = False
            layer.in_eval += training
        if training and name in NORM:
            self._statistics(layer, call, module if number >= 0 else None, recorded)
        elif recorded and name in NORM:
            self._misfit(layer, call)

    def _statistics(self, layer: Layer, call: Call, module: Any, recorded: bool) -> None:
        args = call.args
        if not 3 <= len(args) <= 8 or args[1] is None or args[2] is None:
            return  # nothing is kept, or it is torch.batch_norm, whose arguments have another order
        if layer.statistics is None:
            made = self._made_with.get(id(module))
            layer.statistics = Statistics(made[1] if made and made[0]() is module else None)
        affine = [a for a in (call.argument(3, "weight"), call.argument(4, "bias")) if a is not None]
        recorder = self.recorder
        frozen = not torch.is_grad_enabled() or (bool(affine) and not any(a.requires_grad for a in affine))
        with Quiet():
            layer.statistics.saw(
                call, module, frozen, recorded, len(recorder.steps), bool(recorder.backwards)
            )

    def _misfit(self, layer: Layer, call: Call) -> None:
        """A call in evaluation mode that training goes through."""
        args = call.args
        if (
            3 <= len(args) <= 8
            and args[1] is not None
            and args[2] is not None
            and len(layer.misfits) < _LOOKS
        ):
            with Quiet():
                found = misfit(args[0], args[1], args[2])
            layer.misfits += [] if found is None else [found]

    def after_step(self) -> None:
        """Note the mode of every layer of a model that this step has trained."""
        light, recorder = self.recorder.light, self.recorder
        if not self._layers.all or not recorder.steps:
            return
        known = self.seen.optimizers.known[recorder.steps[-1].optimizer]
        held = {p for group in known.groups for p in group.params}
        entries = recorder.params.entries
        for layer in self._layers.all.values():
            now, layer.now = layer.now, 0
            if light:
                module = layer.ref() if layer.ref is not None and layer.follows and layer.spans else None
                now = 0 if module is None else 1 if module.__dict__.get("training") else 2
            if not now or not any(i in held and entries[i].requires_grad for i in layer.params):
                continue
            training = now & 1
            root = layer.root() if layer.root is not None else None
            if root is not None:  # its mode at this step: afterwards a validation may have switched it
                layer.root_training, layer.root_seen = bool(root.__dict__.get("training", True)), True
            if layer.spans and layer.spans[-1][0] == training:
                layer.spans[-1][2] = len(recorder.steps)
                layer.spans[-1][3] += 1
            else:
                layer.spans.append([training, len(recorder.steps), len(recorder.steps), 1])

    def window_ends(self) -> None:
        """Modules may be gone when the facts are asked for."""
        for layer in self._layers.all.values():
            self._look(layer)

    # -- facts ---------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """All layers, in the order of their first call."""
        if not self.seen.closed:
            self.window_ends()
        layers = tuple([record(layer) for layer in self._layers.all.values()])
        loaders = tuple(
            [
                t.SmallLoader(s, used, constant(self.recorder.stacks, s, "batch_size"))
                for s, (used,) in self._loaders.items()
            ]
        )
        return {"modes": t.Modes(self.switches.facts(), layers, loaders, self._evaluates())}

    def _evaluates(self) -> bool:
        """Whether the script calls ``eval()`` somewhere, by its source."""
        stacks = self.recorder.stacks
        return any(calls(stacks.trees[file], "eval") for file in stacks.user_files())

    def _look(self, layer: Layer) -> None:
        module = layer.ref() if layer.ref is not None else None
        root = layer.root() if layer.root is not None else None
        if module is not None:
            self._layers.place(layer, module)
            off, on, direct = self.switches.of(module)
            layer.switched = off, on, direct and layer.number >= 0 and root is not module
            layer.undone = self.switches.undone(module) if layer.number >= 0 else layer.undone
        if root is not None and not layer.root_seen:
            layer.root_training = bool(root.__dict__.get("training", True))
        look(self.recorder.stacks, layer)
