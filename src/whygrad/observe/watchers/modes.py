"""In which mode layers run that heed it, at which optimizer steps, and what happens to running statistics."""

from __future__ import annotations

import sys
import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.constants import calls, given_by, says
from whygrad.observe.guard import guarded
from whygrad.observe.layers import ATTENTION, DROPOUT, NORM, RNN, Layer, mode_of, number_of, share_of
from whygrad.observe.modules import old_name
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.running import chain, owner, tree
from whygrad.observe.source import assignments
from whygrad.observe.statistics import Statistics, misfit
from whygrad.observe.stats import numbers
from whygrad.observe.switches import Switches
from whygrad.observe.watcher import Watcher

_MANY = 2000  #: layers that are told apart
_SILENT = 4  #: operations without gradient that are kept of a layer
_USUAL = 0.5  #: momentum up to which nobody asks where it comes from
_LOOKS = 3  #: calls in evaluation mode that are measured


class Watch(Watcher):
    """Sees the calls themselves while it may, and only the flag ``training`` after that."""

    names = NORM | DROPOUT | RNN | ATTENTION

    def install(self, patches: Patches) -> None:
        """Switches, the momentum a layer is made with, and loaders."""
        self.switches = Switches(self.recorder)
        self.switches.install(patches)
        self._layers: dict[tuple[int, int, str], Layer] = {}
        self._made_with: dict[int, tuple[weakref.ref[Any], float | None]] = {}
        self._loaders: dict[int, list[int]] = {}
        self._loader_made: dict[int, tuple[weakref.ref[Any], int]] = {}
        patches.around(torch.nn.modules.batchnorm._NormBase, "__init__", after=self._norm_made)
        patches.around(torch.utils.data.DataLoader, "__init__", after=self._loader_was_made)
        patches.around(torch.utils.data.DataLoader, "__iter__", before=self._loader_used)

    # -- what is told --------------------------------------------------------------------------------

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
        layer = self._module_layer(number, name) if number >= 0 else self._functional_layer(call, name)
        if layer is None:
            return
        module = layer.ref() if layer.ref is not None else None
        training = mode_of(call, name, module)
        if training is None:
            return
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
        if not self._layers or not recorder.steps:
            return
        known = self.seen.optimizers.known[recorder.steps[-1].optimizer]
        held = {p for group in known.groups for p in group.params}
        entries = recorder.params.entries
        for layer in self._layers.values():
            now, layer.now = layer.now, 0
            if light:
                module = layer.ref() if layer.ref is not None and layer.follows and layer.spans else None
                now = 0 if module is None else 1 if module.__dict__.get("training") else 2
            if not now or not any(i in held and entries[i].requires_grad for i in layer.params):
                continue
            training = now & 1
            if layer.spans and layer.spans[-1][0] == training:
                layer.spans[-1][2] = len(recorder.steps)
                layer.spans[-1][3] += 1
            else:
                layer.spans.append([training, len(recorder.steps), len(recorder.steps), 1])

    def window_ends(self) -> None:
        """Modules may be gone when the facts are asked for."""
        for layer in self._layers.values():
            self._look(layer)

    # -- layers --------------------------------------------------------------------------------------

    def _module_layer(self, number: int, name: str) -> Layer | None:
        key = (number, -1, "")
        layer = self._layers.get(key)
        if layer is None and len(self._layers) < _MANY:
            caller = self.recorder.callers.entries[number]
            module = caller.ref()
            what = "norm" if name in NORM else "dropout"
            layer = self._layers[key] = Layer(
                caller.ref, what, number, caller.kind, self.recorder.stacks.here()
            )
            if module is not None:
                layer.created = self.seen.modules.where_made(module)
                around = chain(sys._getframe(1))
                layer.around = [weakref.ref(one) for one in around]
                self._place(layer, module)
                layer.loose = self._is_loose(module, around)
        return layer

    def _functional_layer(self, call: Call, name: str) -> Layer | None:
        if name in RNN or name in ATTENTION:
            return None
        stack = self.recorder.stacks.here()
        holder = owner(sys._getframe(1))
        key = (id(holder), stack, name)
        layer = self._layers.get(key)
        if layer is not None and holder is not None and layer.ref() is not holder:
            layer = None
        if layer is None and len(self._layers) < _MANY:
            what = "norm" if name in NORM else "dropout"
            ref = None if holder is None else weakref.ref(holder)
            layer = self._layers[key] = Layer(ref, what, -1, f"{name}()", stack)
            if holder is not None:
                layer.around = [weakref.ref(one) for one in chain(sys._getframe(1))]
                self._place(layer, holder)
        return layer

    def _is_loose(self, module: torch.nn.Module, around: list[torch.nn.Module]) -> bool:
        """Whether a layer is registered in none of the modules that call it (copies are in nobody's records)."""
        placed = self.seen.modules.known(module)
        others = [one for one in around if one is not module]
        if (placed is not None and placed.parents) or not others:
            return False
        return not any(module is one for other in others for one in tree(other))

    def _place(self, layer: Layer, module: torch.nn.Module) -> None:
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

    # -- facts ---------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """All layers, in the order of their first call."""
        if not self.seen.closed:
            self.window_ends()
        layers = tuple([self._layer(layer) for layer in self._layers.values()])
        loaders = tuple(
            [t.SmallLoader(s, used, self._constant(s, "batch_size")) for s, (used,) in self._loaders.items()]
        )
        return {"modes": t.Modes(self.switches.facts(), layers, loaders, self._evaluates())}

    def _evaluates(self) -> bool:
        """Whether the script calls ``eval()`` somewhere, by its source."""
        stacks = self.recorder.stacks
        return any(calls(stacks.trees[file], "eval") for file in stacks.user_files())

    def _layer(self, layer: Layer) -> t.Layer:
        off, on, direct = layer.switched
        statistics = None
        if layer.statistics is not None:
            with Quiet():
                statistics = layer.statistics.facts(layer.changed)
        return t.Layer(
            layer.what,
            layer.kind,
            layer.number,
            layer.fqn,
            layer.place,
            layer.created,
            layer.p,
            layer.params,
            layer.own,
            layer.root_kind,
            layer.root_training,
            layer.explicit,
            tuple([t.Span(bool(s[0]), *s[1:]) for s in layer.spans]),
            on,
            off,
            direct,
            layer.without_grad,
            tuple(layer.silent),
            layer.in_eval,
            layer.loose,
            max(numbers(layer.misfits), default=None),
            statistics,
        )

    def _look(self, layer: Layer) -> None:
        module = layer.ref() if layer.ref is not None else None
        root = layer.root() if layer.root is not None else None
        if module is not None:
            self._place(layer, module)
            off, on, direct = self.switches.of(module)
            layer.switched = off, on, direct and layer.number >= 0 and root is not module
        if root is not None:
            layer.root_training = bool(root.__dict__.get("training", True))
        if layer.number < 0 and layer.what == "dropout" and layer.place >= 0:
            code, line = self.recorder.stacks.place_of(self.recorder.stacks.stacks[layer.place][0])
            source = self.recorder.stacks.trees[code.co_filename]
            layer.explicit = says(source, line, layer.kind.removesuffix("()"), "training", 2)
        if layer.statistics is not None:
            layer.changed = self._changed(layer, layer.statistics)

    def _changed(self, layer: Layer, statistics: Statistics) -> int:
        """Where an unusual momentum was set after the construction, or where the construction has it from."""
        if statistics.momentum is None or statistics.momentum <= _USUAL:
            return -1
        stacks = self.recorder.stacks
        if statistics.made_with is not None and statistics.made_with != statistics.momentum:
            for file in stacks.user_files():
                for line in assignments(stacks.trees[file], "momentum"):
                    return stacks.intern((stacks.place(file, line, ""),))
        return self._constant(layer.created, "momentum")

    def _constant(self, stack: int, keyword: str) -> int:
        """The stack of the line that a call's argument comes from; -1 where that is the call itself."""
        stacks = self.recorder.stacks
        if stack < 0:
            return -1
        code, line = stacks.place_of(stacks.stacks[stack][0])
        origin = given_by(stacks.trees[code.co_filename], line, keyword)
        return stacks.intern((stacks.place(code.co_filename, origin, ""),)) if origin else -1
