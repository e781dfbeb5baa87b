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
from typing import Any

import torch

from whygrad.api.reach import TABLES, found_in, hidden_in


class Held:
    """The state of some objects at the time it was made; :meth:`restore` brings it back.

    ``gradients``: whether those that are there already can be written into (then they are copied too), or are taken
    away by :meth:`clear_gradients` before anything runs.
    """

    def __init__(self, things: Iterable[Any], gradients: bool = True) -> None:
        models, optimizers, others = found_in(things)
        modules, loose = hidden_in(models)
        self._tensors = [_Tensor(x, gradients) for x in _tensors(modules, optimizers, loose)]
        self._modules = [_Module(module) for module in modules]
        self._optimizers = [_Optimizer(o) for o in optimizers]
        self._others = [(thing, _snapshot(vars(thing))) for thing in others]
        self._random = _random_states()

    def clear_gradients(self) -> None:
        """Take the gradients away; they are put back with all else."""
        for held in self._tensors:
            if held.tensor.is_leaf:
                held.tensor.grad = None

    def restore(self) -> None:
        """Put everything back, bit for bit."""
        self.restore_models()
        for optimizer in self._optimizers:
            optimizer.restore()
        for thing, before in self._others:
            _restore_into(vars(thing), before)

    def restore_models(self) -> None:
        """Put models, their tensors and the random states back, and leave optimizers, scalers and schedulers as they are."""
        for module in self._modules:
            module.restore()
        for tensor in self._tensors:
            tensor.restore()
        _set_random_states(self._random)


class _Module:
    """A module's mode, tables of parameters and buffers, and, if its class is the user's, what its attributes are bound
    to (what they hold is looked into for modules and tensors only)."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.module = module
        self.training = module.training
        tables: tuple[dict[str, Any], ...] = (module._parameters, module._buffers)
        self.tables = [(table, dict(table)) for table in tables]
        foreign = type(module).__module__.partition(".")[0] == "torch"
        self.attributes = None if foreign else {k: v for k, v in vars(module).items() if k not in TABLES}

    def restore(self) -> None:
        self.module.training = self.training
        for table, before in self.tables:
            table.clear()
            table.update(before)
        if self.attributes is not None:
            own = vars(self.module)
            for name in [n for n in own if n not in self.attributes and n not in TABLES]:
                del own[name]
            own.update(self.attributes)


class _Tensor:
    """A parameter or buffer: its object, numbers, requires_grad and gradient."""

    def __init__(self, tensor: torch.Tensor, gradient: bool) -> None:
        self.tensor = tensor
        self.data = _numbers(tensor).clone()
        self.requires_grad = tensor.requires_grad
        self.grad = tensor.grad if tensor.is_leaf else None
        self.grad_data = self.grad.detach().clone() if gradient and self.grad is not None else None
        self.version = None if tensor.is_inference() else tensor._version

    def restore(self) -> None:
        with torch.no_grad():
            _numbers(self.tensor).copy_(self.data)
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
        # the parameters in a group are held by themselves; here it is the list
        self.groups = [(group, group["params"], list(group["params"])) for group in optimizer.param_groups]
        self.options = [
            _snapshot({k: v for k, v in group.items() if k != "params"}) for group in optimizer.param_groups
        ]

    def restore(self) -> None:
        state: Any = self.optimizer.state
        for parameter in [p for p in state if p not in self.state]:
            del state[parameter]
        for parameter, before in self.state.items():
            own = state[parameter] if isinstance(state, defaultdict) else state.setdefault(parameter, {})
            _restore_into(own, before)
        self.optimizer.param_groups[:] = [group for group, _, _ in self.groups]
        for (group, own, parameters), options in zip(self.groups, self.options, strict=True):
            _restore_into(group, options)
            if type(own) is list:
                own[:] = parameters
            group["params"] = own


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


def _numbers(tensor: torch.Tensor) -> torch.Tensor:
    """What is written to put a tensor's numbers back: of an expanded one each number once."""
    data = tensor.detach()
    if data.layout is torch.strided and not data.is_nested:
        for dim, step in enumerate(data.stride()):
            data = data.narrow(dim, 0, 1) if step == 0 and data.shape[dim] > 1 else data
    return data


def _tensors(
    modules: list[torch.nn.Module], optimizers: list[Any], loose: list[torch.Tensor]
) -> list[torch.Tensor]:
    tables = [table for module in modules for table in (module._parameters, module._buffers)]
    own = [tensor for table in tables for tensor in table.values() if tensor is not None]
    held = [tensor for o in optimizers for group in o.param_groups for tensor in group["params"]]
    return list({id(tensor): tensor for tensor in (*own, *held, *loose)}.values())


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
