"""What training changes, found in what people hand over: objects, containers, functions and variables."""

from __future__ import annotations

from collections.abc import Iterable
from types import FrameType
from typing import Any

import torch

from whygrad.observe.containers import contents
from whygrad.observe.variables import scopes

#: Where a module keeps what it has registered.
TABLES = ("_parameters", "_buffers", "_modules")
_DEPTH = 5


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


def hidden_in(models: Iterable[torch.nn.Module]) -> tuple[list[torch.nn.Module], list[torch.Tensor]]:
    """All modules of some models, also those that their attributes hide in lists, dicts, objects and closures; and the
    tensors that are attributes or, hidden likewise, require grad."""
    modules: dict[int, torch.nn.Module] = {}
    tensors: dict[int, torch.Tensor] = {}
    seen: set[int] = set()
    waiting: list[tuple[Any, int]] = [(model, _DEPTH) for model in models]
    while waiting:
        thing, depth = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if issubclass(type(thing), torch.Tensor):
            if depth == _DEPTH or thing.requires_grad:
                tensors[id(thing)] = thing
        elif issubclass(type(thing), torch.nn.Module):
            modules[id(thing)] = thing
            waiting += [(child, _DEPTH) for child in thing._modules.values() if child is not None]
            waiting += [
                (value, _DEPTH)
                for name, value in vars(thing).items()
                if name not in TABLES and not name.endswith("_hooks")
            ]
        elif depth:
            waiting += [(item, depth - 1) for _, _, item in contents(thing)]
    return list(modules.values()), list(tensors.values())
