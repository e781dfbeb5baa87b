"""Everything that a few training steps change, so that it can be put back: models, optimizers, scalers, schedulers,
and the random states.

What is put back is written into the very tensors that were there, so that whoever holds one of them (an optimizer, a
tied layer, an EMA) still holds the right one.
"""

from __future__ import annotations

import copy
import random
import sys
from collections import defaultdict
from collections.abc import Iterable
from types import FrameType
from typing import Any

import torch

from whygrad.observe.containers import contents
from whygrad.observe.variables import scopes

_DEPTH = 5


class Held:
    """The state of some objects at the time it was made; :meth:`restore` brings it back."""

    def __init__(self, things: Iterable[Any]) -> None:
        models, optimizers, others = found_in(things)
        self._tensors = [_Tensor(x) for x in _tensors(models, optimizers)]
        self._modules = [
            (module, module.training, dict(module._parameters), dict(module._buffers))
            for model in models
            for module in model.modules()
        ]
        self._optimizers = [_Optimizer(o) for o in optimizers]
        self._others = [(thing, _snapshot(vars(thing))) for thing in others]
        self._random = _random_states()

    def restore(self) -> None:
        """Put everything back, bit for bit."""
        for module, training, parameters, buffers in self._modules:
            module.training = training
            _put(module._parameters, parameters)
            _put(module._buffers, buffers)
        for tensor in self._tensors:
            tensor.restore()
        for optimizer in self._optimizers:
            optimizer.restore()
        for thing, before in self._others:
            _restore_into(vars(thing), before)
        _set_random_states(self._random)


class _Tensor:
    """A parameter or buffer: its object, numbers, requires_grad and gradient."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        self.data = tensor.detach().clone()
        self.requires_grad = tensor.requires_grad
        self.grad = tensor.grad if tensor.is_leaf else None
        self.grad_data = None if self.grad is None else self.grad.detach().clone()
        self.version = None if tensor.is_inference() else tensor._version

    def restore(self) -> None:
        with torch.no_grad():
            self.tensor.detach().copy_(self.data)
            if self.tensor.is_leaf:
                self.tensor.requires_grad_(self.requires_grad)
                if self.grad is not None and self.grad_data is not None:
                    self.grad.detach().copy_(self.grad_data)
                self.tensor.grad = self.grad
        if self.version is not None:
            # the numbers are those of that version again: a graph made before can still be back-propagated
            torch._C._autograd._unsafe_set_version_counter((self.tensor,), (self.version,))


class _Optimizer:
    """An optimizer's state and groups; also the objects in them stay the same ones."""

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer
        self.state = {p: _snapshot(state) for p, state in optimizer.state.items()}
        self.groups = [(group, _snapshot(dict(group))) for group in optimizer.param_groups]

    def restore(self) -> None:
        state: Any = self.optimizer.state
        for parameter in [p for p in state if p not in self.state]:
            del state[parameter]
        for parameter, before in self.state.items():
            own = state[parameter] if isinstance(state, defaultdict) else state.setdefault(parameter, {})
            _restore_into(own, before)
        self.optimizer.param_groups[:] = [group for group, _ in self.groups]
        for group, before in self.groups:
            _restore_into(group, before)


_Snapshot = dict[Any, tuple[Any, Any]]


def _snapshot(values: dict[Any, Any]) -> _Snapshot:
    """For each entry the object and a copy of what is in it, where that can change."""
    return {key: (value, _copied(value)) for key, value in values.items()}


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if type(value) in (dict, defaultdict):
        return {key: (item, _copied(item)) for key, item in value.items()}
    if type(value) is list:
        return [(item, _copied(item)) for item in value]
    return None


def _restore_into(values: dict[Any, Any], before: _Snapshot) -> None:
    for key in [k for k in values if k not in before]:
        del values[key]
    for key, (value, contents_before) in before.items():
        values[key] = value
        _fill(value, contents_before)


def _fill(value: Any, before: Any) -> None:
    if isinstance(value, torch.Tensor):
        with torch.no_grad():
            value.detach().copy_(before)
    elif type(value) in (dict, defaultdict):
        _restore_into(value, before)
    elif type(value) is list:
        value[:] = [item for item, _ in before]
        for item, inner in before:
            _fill(item, inner)


def _put(table: dict[str, Any], before: dict[str, Any]) -> None:
    table.clear()
    table.update(before)


def _tensors(models: list[torch.nn.Module], optimizers: list[Any]) -> list[torch.Tensor]:
    found: dict[int, torch.Tensor] = {}
    for model in models:
        for tensor in [*model.parameters(), *model.buffers()]:
            found[id(tensor)] = tensor
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            for tensor in group["params"]:
                found[id(tensor)] = tensor
    return list(found.values())


def found_in(things: Iterable[Any]) -> tuple[list[torch.nn.Module], list[Any], list[Any]]:
    """Models, optimizers, and scalers and schedulers, in what objects, containers and functions hold."""
    models: dict[int, torch.nn.Module] = {}
    optimizers: dict[int, Any] = {}
    others: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = [(thing, _DEPTH) for thing in things]
    scheduler = torch.optim.lr_scheduler.LRScheduler
    while waiting:
        thing, depth = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        kind = type(thing)
        if issubclass(kind, torch.nn.Module):
            models[id(thing)] = thing
        elif issubclass(kind, torch.optim.Optimizer):
            optimizers[id(thing)] = thing
        elif issubclass(kind, (torch.amp.GradScaler, scheduler)):
            others[id(thing)] = thing
            inner = getattr(thing, "optimizer", None)
            if inner is not None:
                waiting.append((inner, depth))
        elif depth and not issubclass(kind, torch.Tensor):
            waiting += [(item, depth - 1) for _, _, item in contents(thing)]
    return list(models.values()), list(optimizers.values()), list(others.values())


def found_around(frame: FrameType) -> tuple[list[torch.nn.Module], list[Any], list[Any]]:
    """The same, in the variables of a running function and of those that called it."""
    return found_in(value for scope in scopes(frame, methods=True) for value in scope.values())


def named_in(function: Any, depth: int = _DEPTH) -> list[Any]:
    """What a function can reach by the names in its code: its closure, its object, and the globals that it mentions,
    or that functions among them mention."""
    found: dict[int, Any] = {}
    waiting = [(function, depth)]
    while waiting:
        one, left = waiting.pop()
        if id(one) in found:
            continue
        found[id(one)] = one
        inner = getattr(one, "__func__", getattr(one, "func", one))
        code, scope = getattr(inner, "__code__", None), getattr(inner, "__globals__", {})
        if left and code is not None:
            waiting += [(scope[name], left - 1) for name in code.co_names if name in scope]
    return list(found.values())


def _random_states() -> tuple[Any, ...]:
    numpy = sys.modules.get("numpy")
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    return random.getstate(), torch.get_rng_state(), cuda, numpy and copy.deepcopy(numpy.random.get_state())


def _set_random_states(states: tuple[Any, ...]) -> None:
    python, own, cuda, array = states
    random.setstate(python)
    torch.set_rng_state(own)
    if cuda is not None:
        torch.cuda.set_rng_state_all(cuda)
    if array is not None:
        sys.modules["numpy"].random.set_state(array)
