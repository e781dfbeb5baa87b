"""Names under which the script's variables hold models and tensors."""

from __future__ import annotations

import inspect
import sys
from itertools import islice
from types import FrameType
from typing import Any

import torch

from whygrad.observe.containers import attributes, is_plain_object, items, shown
from whygrad.observe.parameters import Parameters

#: Modules that only wrap another one, by the attribute that holds it.
WRAPPERS = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": "_orig_mod"}


def scopes(frame: FrameType | None, methods: bool = False) -> list[dict[str, Any]]:
    """The variables a user would name things by: the script's globals, then the locals of running functions
    (of methods too, if asked for: there the same thing often has a second, more general name)."""
    found = [vars(sys.modules["__main__"])] if "__main__" in sys.modules else []
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            found.append(frame.f_globals)
        elif (variables := _locals(frame)) and (methods or "self" not in variables):
            found.append(variables)
        frame = frame.f_back
    return found


def variables_of(frame: FrameType) -> dict[str, Any]:
    """The variables of one running function or module."""
    return {} if frame.f_code.co_name == "<module>" else _locals(frame)


def _locals(frame: FrameType) -> dict[str, Any]:
    """A copy of a running function's variables.

    Until Python 3.13 reading them leaves a second reference to each in the frame, which would keep the script's
    tensors alive until the function ends: it is taken away again. And there is one such snapshot a frame, which
    ``locals()`` hands out too: a function that calls it is left alone."""
    code = frame.f_code
    snapshot = sys.version_info < (3, 13) and code.co_flags & inspect.CO_OPTIMIZED
    if not snapshot:
        return dict(frame.f_locals)
    if "locals" in code.co_names and "@py_builtins" not in code.co_names:  # pytest's asserts keep none
        return {}
    held = frame.f_locals
    variables = dict(held)
    held.clear()
    return variables


def bare_modules(known: set[int], frame: FrameType | None) -> list[torch.nn.Module]:
    """Modules in the script's variables that nothing was ever registered into: their layers may be hidden in a list."""
    found: dict[int, torch.nn.Module] = {}
    for scope in scopes(frame, methods=True):
        for value in list(scope.values()):
            for part in (value, *(p for _, p in _parts(value))):
                if issubclass(type(part), torch.nn.Module) and id(part) not in known:
                    found[id(part)] = part
    return list(found.values())


def module_names(roots: list[torch.nn.Module], frame: FrameType | None) -> dict[int, str]:
    """The variable (or attribute or item of one) that holds each model, by its number."""
    names: dict[int, str] = {}
    wanted = {id(r): i for i, r in enumerate(roots)}
    inner = {id(c): i for i, r in enumerate(roots) for n, c in r._modules.items() if n in WRAPPERS.values()}
    everywhere = scopes(frame)
    for scope in everywhere:
        for name, value in list(scope.items()):
            index = wanted.get(id(value), inner.get(id(value)))
            if index is not None and not name.startswith("_"):
                names.setdefault(index, name)
    for scope in everywhere:
        for name, value in list(scope.items()):
            for attribute, part in _parts(value):
                index = wanted.get(id(part))
                if index is not None and not name.startswith("_"):
                    names.setdefault(index, f"{name}{attribute}")
    return names


def _parts(value: Any) -> list[tuple[str, Any]]:
    kind = type(value)
    if issubclass(kind, (list, tuple)):
        return [(f"[{i}]", v) for i, v in enumerate(items(value, 50))]
    if issubclass(kind, dict):
        return [(f"[{shown(k)}]", v) for k, v in islice(dict.items(value), 50)]
    if not issubclass(kind, torch.nn.Module) and is_plain_object(value):
        return [(f".{k}", v) for k, v in islice(attributes(value).items(), 100)]
    return []


def tensor_names(params: Parameters, frame: FrameType | None) -> dict[int, str]:
    """The same for tracked tensors, by identity."""
    wanted = {id(tensor) for e in params.entries if (tensor := e.ref()) is not None}
    names: dict[int, str] = {}
    for scope in scopes(frame):
        for name, value in list(scope.items()):
            if id(value) in wanted:
                names.setdefault(id(value), name)
            for attribute, part in _parts(value):
                if id(part) in wanted:
                    names.setdefault(id(part), f"{name}{attribute}")
    return names
