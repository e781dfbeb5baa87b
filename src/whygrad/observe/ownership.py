"""What every tracked tensor is called, and how (or whether) its model knows it.

The module trees are walked as they stand at the end of the window. Parameters that no tree knows are searched
in the attributes of the modules: in lists, dicts and ordinary objects, where ``nn.Module`` does not look.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

import torch

from whygrad.observe.containers import class_attributes, contents
from whygrad.observe.modules import Modules
from whygrad.observe.parameters import Parameters
from whygrad.observe.variables import WRAPPERS, bare_modules, module_names, tensor_names

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
        self.hidden: list[tuple[torch.Tensor, Name]] = []
        self.aliases: dict[int, list[str]] = {}
        self.roots: list[torch.nn.Module] = []
        live = [m for p in modules.placed if (m := p.ref()) is not None]
        live += bare_modules({id(m) for m in live}, frame)
        children = {id(c) for m in live for c in m._modules.values() if c is not None}
        tops = [m for m in live if id(m) not in children]
        self._in_tree: set[int] = set()
        inner = self._hidden_among(tops) if len(tops) > 1 else set()
        # a module hidden in another one's attribute is no model of its own: walk the others first, find it there
        for module in sorted(tops, key=lambda m: (id(m) in inner, -sum(1 for _ in _walk(m)))):
            if id(module) not in self._in_tree:
                self._add_root(module)
        self.root_names = module_names(self.roots, frame)
        self.variables = tensor_names(params, frame)

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
                self.hidden.append((thing[1], where))
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
        for name, value in class_attributes(type(module)):
            yield from self._search(value, name, "class", module, _DEPTH, set())

    def _search(
        self, value: Any, path: str, how: str, owner: Any, depth: int, seen: set[int]
    ) -> Iterator[tuple[str, str, tuple[Any, torch.Tensor]]]:
        """Tensors in ``value``: (path, how it hides them, (what it belongs to, tensor))."""
        if depth == 0 or id(value) in seen:
            return
        seen.add(id(value))
        if issubclass(type(value), torch.Tensor):
            yield path, how, (owner, value)
        elif issubclass(type(value), torch.nn.Module):
            # one that nn.Module did not see being set: it went into __dict__ directly
            yield from self._module(value, path, "bypass" if how == "attribute" else how)
        else:
            for suffix, kind, item in contents(value):
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


def _walk(
    root: torch.nn.Module, prefix: str = "", seen: set[int] | None = None
) -> Iterator[tuple[str, torch.nn.Module]]:
    """All modules of a tree with their names; wrappers (DDP, compiled) leave no trace in the names."""
    seen = set() if seen is None else seen
    if id(root) in seen:
        return
    seen.add(id(root))
    yield prefix, root
    skip = WRAPPERS.get(type(root).__name__)
    for name, child in root._modules.items():
        if child is not None:
            yield from _walk(child, prefix if name == skip else _join(prefix, name), seen)


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name
