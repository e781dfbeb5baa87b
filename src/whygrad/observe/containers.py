"""What Python objects hold: where modules and tensors hide from ``nn.Module``, which looks at its attributes only.

Objects of the user's are looked at from outside: no method, property or special method that their classes define is
called, because it might do anything. So it is ``issubclass(type(value), ...)`` (``isinstance`` asks ``__class__``),
``dict.items(value)``, ``list.__getitem__`` and the like.
"""

from __future__ import annotations

import functools
import sys
from argparse import Namespace
from collections import deque
from collections.abc import Iterator
from itertools import islice
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import torch

_SEQUENCES = (list, tuple, set, frozenset, deque)
_HOLDERS = (torch.nn.Module, torch.Tensor, list, dict)
_PLAIN_KEYS = (str, int, float, bool, bytes, type(None))
_MANY = 1000  #: items of a container that are looked at


def contents(value: Any) -> Iterator[tuple[str, str, Any]]:
    """What an object holds that is no tensor and no module: (suffix of its path, kind of container, item)."""
    kind = type(value)
    if issubclass(kind, dict):
        for key, item in islice(dict.items(value), _MANY):
            yield f"[{shown(key)}]", "dict", item
    elif issubclass(kind, _SEQUENCES):
        for i, item in enumerate(items(value, _MANY)):
            yield f"[{i}]", "list", item
    elif issubclass(kind, (FunctionType, MethodType, functools.partial)):
        for name, item in _held_by(value):
            yield f".{name}" if name else "", "function", item
    elif is_plain_object(value):
        for name, item in list(attributes(value).items()):
            yield f".{name}", "object", item


def items(value: Any, most: int) -> list[Any]:
    """The first items of a list, tuple, set or deque."""
    base = next(b for b in _SEQUENCES if issubclass(type(value), b))
    return list(islice(base.__iter__(value), most))


def attributes(value: Any) -> dict[str, Any]:
    """The instance dictionary of an object; empty if it has none."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}


def shown(key: object) -> str:
    """A key of a dictionary as the source would write it."""
    return repr(key) if type(key) in _PLAIN_KEYS else f"<{type(key).__name__}>"


def _held_by(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function keeps alive: the variables of its closure, the arguments of a partial, a method's object."""
    if isinstance(function, functools.partial):
        named = [(str(i), a) for i, a in enumerate(function.args)]
        yield from [("func", function.func), *named, *function.keywords.items()]
    elif isinstance(function, MethodType):
        yield "", function.__self__
    else:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
            try:
                yield name, cell.cell_contents
            except ValueError:  # an empty cell
                continue


def class_attributes(kind: type) -> Iterator[tuple[str, Any]]:
    """Modules, tensors and containers among the class attributes of a module's own classes."""
    for own in kind.__mro__:
        if own is torch.nn.Module:
            return
        for name, value in list(vars(own).items()) if not own.__module__.startswith("torch.") else ():
            if not name.startswith("__") and issubclass(type(value), _HOLDERS):
                yield name, value


def is_plain_object(value: Any) -> bool:
    """An instance of a class of the user's (not of torch, numpy or the standard library), not a class or module."""
    kind = type(value)
    if issubclass(kind, (SimpleNamespace, Namespace)):
        return True
    package = str(kind.__module__).partition(".")[0]
    foreign = package in sys.stdlib_module_names and package != "__main__"
    return (
        not issubclass(kind, (type, ModuleType))
        and not any("__get__" in vars(base) for base in kind.__mro__)
        and package not in ("torch", "numpy", "builtins")
        and not foreign
        and bool(attributes(value))
    )
