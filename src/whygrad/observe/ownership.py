"""What every tracked tensor is called, and how (or whether) its model knows it.

The module trees are walked as they stand at the end of the window. Parameters that no tree knows are searched
in the attributes of the modules: in lists, dicts and ordinary objects, where ``nn.Module`` does not look.
"""

from __future__ import annotations

import functools
import inspect
import sys
from argparse import Namespace
from collections import deque
from collections.abc import Iterator
from types import FrameType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import torch

from whygrad.observe.modules import Modules
from whygrad.observe.parameters import Parameters

_WRAPPERS = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": "_orig_mod"}
_MANY = 1000  #: items of a container that are looked at
_DEPTH = 4  #: containers and objects followed from a module's attribute


class Name:
    """Where one tensor was found."""

    __slots__ = ("fqn", "hidden", "holder", "module", "path", "registered", "root")

    def __init__(
        self, fqn: str, root: int, module: Any, hidden: str = "", holder: Any = None, path: str = ""
    ) -> None:
        self.fqn, self.root, self.module, self.hidden, self.registered = fqn, root, module, hidden, not hidden
        self.holder = module if holder is None else holder
        self.path = path


class Ownership:
    """Names of tensors by identity, and the models they belong to."""

    def __init__(self, modules: Modules, params: Parameters, frame: FrameType | None) -> None:
        self.names: dict[int, Name] = {}
        self.attributes: list[tuple[torch.Tensor, Name]] = []
        self.aliases: dict[int, list[str]] = {}
        self.roots: list[torch.nn.Module] = []
        live = [m for p in modules.placed if (m := p.ref()) is not None]
        live += _bare_modules({id(m) for m in live}, frame)
        children = {id(c) for m in live for c in m._modules.values() if c is not None}
        tops = [m for m in live if id(m) not in children]
        self._in_tree: set[int] = set()
        inner = self._hidden_among(tops) if len(tops) > 1 else set()
        # a module hidden in another one's attribute is no model of its own: walk the others first, find it there
        for module in sorted(tops, key=lambda m: (id(m) in inner, -sum(1 for _ in _walk(m)))):
            if id(module) not in self._in_tree:
                self._add_root(module)
        self.root_names = _variable_names(self.roots, frame)
        self.variables = _tensor_names(params, frame)

    def _hidden_among(self, tops: list[torch.nn.Module]) -> set[int]:
        """Which of these modules another one keeps where the module tree does not look."""
        found: set[int] = set()
        for top in tops:
            tree = [m for _, m in _walk(top)]
            own = {id(m) for m in tree}
            self._in_tree = set(own)
            for module in tree:
                for _ in self._hidden(module):
                    pass
            found |= self._in_tree - own
        self._in_tree = set()
        return found

    def _add_root(self, root: torch.nn.Module) -> None:
        index = len(self.roots)
        self.roots.append(root)
        found = list(_walk(root))
        self._in_tree |= {id(m) for _, m in found}
        for prefix, module in found:
            for name, tensor in [*module._parameters.items(), *module._buffers.items()]:
                if tensor is not None:
                    self._name(tensor, Name(_join(prefix, name), index, module))
        for prefix, module in found:
            for path, how, thing in self._hidden(module):
                where = Name(_join(prefix, path), index, thing[0], how, module, path)
                self._name(thing[1], where)
                if not isinstance(thing[1], torch.nn.Parameter):
                    self.attributes.append((thing[1], where))

    def _name(self, tensor: torch.Tensor, name: Name) -> None:
        known = self.names.get(id(tensor))
        if known is None:
            self.names[id(tensor)] = name
        elif known.fqn != name.fqn and known.root == name.root and name.registered:
            self.aliases.setdefault(id(tensor), []).append(name.fqn)

    def _hidden(self, module: torch.nn.Module) -> Iterator[tuple[str, str, tuple[Any, torch.Tensor]]]:
        skip = ("_parameters", "_buffers", "_modules")
        for name, value in list(module.__dict__.items()):
            if name not in skip and not name.endswith("_hooks"):
                yield from self._search(value, name, "attribute", module, _DEPTH, set())
        for name, value in _class_attributes(type(module)):
            yield from self._search(value, name, "class", module, _DEPTH, set())

    def _search(
        self, value: Any, path: str, how: str, owner: Any, depth: int, seen: set[int]
    ) -> Iterator[tuple[str, str, tuple[Any, torch.Tensor]]]:
        """Tensors in ``value``: (path, how it hides them, (what it belongs to, tensor))."""
        if depth == 0 or id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, torch.Tensor):
            yield path, how, (owner, value)
        elif isinstance(value, torch.nn.Module):
            # one that nn.Module did not see being set: it went into __dict__ directly
            yield from self._module(value, path, "bypass" if how == "attribute" else how)
        else:
            for suffix, kind, item in _contents(value):
                inner = value if kind == "object" else owner
                yield from self._search(item, path + suffix, kind, inner, depth - 1, seen)

    def _module(
        self, value: torch.nn.Module, path: str, how: str
    ) -> Iterator[tuple[str, str, tuple[Any, torch.Tensor]]]:
        if id(value) in self._in_tree:
            return
        found = list(_walk(value))
        self._in_tree |= {id(module) for _, module in found}
        for prefix, module in found:
            for name, tensor in module._parameters.items():
                if tensor is not None:
                    yield f"{path}.{_join(prefix, name)}", how, (module, tensor)
        for prefix, module in found:
            for inner, kind, thing in self._hidden(module):
                yield f"{path}.{_join(prefix, inner)}", kind, thing


def _contents(value: Any) -> Iterator[tuple[str, str, Any]]:
    """What an object holds that is no tensor and no module: (suffix of its path, kind of container, item)."""
    if isinstance(value, dict):
        for key, item in list(value.items())[:_MANY]:
            yield f"[{key!r}]", "dict", item
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        for i, item in enumerate(list(value)[:_MANY]):
            yield f"[{i}]", "list", item
    elif isinstance(value, (FunctionType, MethodType, functools.partial)):
        for name, item in _held_by(value):
            yield f".{name}" if name else "", "function", item
    elif _is_plain_object(value):
        for name, item in list(vars(value).items()):
            yield f".{name}", "object", item


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


def _class_attributes(kind: type) -> Iterator[tuple[str, Any]]:
    """Modules, tensors and containers among the class attributes of a module's own classes."""
    for own in kind.__mro__:
        if own is torch.nn.Module:
            return
        for name, value in list(vars(own).items()):
            if not name.startswith("__") and isinstance(value, (torch.nn.Module, torch.Tensor, list, dict)):
                yield name, value


def _is_plain_object(value: Any) -> bool:
    """An instance of a class of the user's (not of torch, numpy or the standard library), not a class or module."""
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    foreign = package in sys.stdlib_module_names and package != "__main__"
    if isinstance(value, (SimpleNamespace, Namespace)):
        return True
    return (
        hasattr(value, "__dict__")
        and not isinstance(value, (type, ModuleType))
        and not callable(getattr(value, "__get__", None))
        and package not in ("torch", "numpy", "builtins")
        and not foreign
    )


def _walk(
    root: torch.nn.Module, prefix: str = "", seen: set[int] | None = None
) -> Iterator[tuple[str, torch.nn.Module]]:
    """All modules of a tree with their names; wrappers (DDP, compiled) leave no trace in the names."""
    seen = set() if seen is None else seen
    if id(root) in seen:
        return
    seen.add(id(root))
    yield prefix, root
    skip = _WRAPPERS.get(type(root).__name__)
    for name, child in root._modules.items():
        if child is not None:
            yield from _walk(child, prefix if name == skip else _join(prefix, name), seen)


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


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


def _locals(frame: FrameType) -> dict[str, Any]:
    """A copy of a running function's variables.

    Until Python 3.13 reading them leaves a second reference to each in the frame, which would keep the script's
    tensors alive until the function ends: it is taken away again. And there is one such snapshot a frame, which
    ``locals()`` hands out too: a function that calls it is left alone."""
    code = frame.f_code
    snapshot = sys.version_info < (3, 13) and code.co_flags & inspect.CO_OPTIMIZED
    if not snapshot:
        return dict(frame.f_locals)
    if "locals" in code.co_names:
        return {}
    held = frame.f_locals
    variables = dict(held)
    held.clear()
    return variables


def _bare_modules(known: set[int], frame: FrameType | None) -> list[torch.nn.Module]:
    """Modules in the script's variables that nothing was ever registered into: their layers may be hidden in a list."""
    found: dict[int, torch.nn.Module] = {}
    for scope in scopes(frame, methods=True):
        for value in list(scope.values()):
            for part in (value, *(p for _, p in _parts(value))):
                if issubclass(type(part), torch.nn.Module) and id(part) not in known:
                    found[id(part)] = part
    return list(found.values())


def _variable_names(roots: list[torch.nn.Module], frame: FrameType | None) -> dict[int, str]:
    names: dict[int, str] = {}
    wanted = {id(r): i for i, r in enumerate(roots)}
    inner = {id(c): i for i, r in enumerate(roots) for n, c in r._modules.items() if n in _WRAPPERS.values()}
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
    if isinstance(value, (list, tuple)):
        return [(f"[{i}]", v) for i, v in enumerate(value[:50])]
    if isinstance(value, dict):
        return [(f"[{k!r}]", v) for k, v in list(value.items())[:50]]
    if _is_plain_object(value) and not isinstance(value, torch.nn.Module):
        return [(f".{k}", v) for k, v in list(vars(value).items())[:100]]
    return []


def _tensor_names(params: Parameters, frame: FrameType | None) -> dict[int, str]:
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
