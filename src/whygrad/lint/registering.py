"""Whether layers that a module hides may be known to somebody all the same."""

from __future__ import annotations

import ast

from whygrad.lint.classes import ClassInfo
from whygrad.lint.flow import chain
from whygrad.lint.hidden import LOOKING
from whygrad.lint.module import Module

#: Methods and functions by which a class may make its layers known all the same.
_REGISTERING = frozenset(
    {"add_module", "register_module", "setattr", "register_parameter", "parameters", "named_parameters", "requires_grad_"}
)  # fmt: skip


def used_elsewhere(module: Module, info: ClassInfo, name: str) -> bool:
    """Whether the layers may be known to somebody all the same (registered by hand, given to a container or an optimizer,
    looked at from outside), are not meant to be trained, or are never used."""
    if {"parameters", "named_parameters", "__setattr__", "__getattr__"} & set(info.methods):
        return True
    reads = []
    for node in ast.walk(info.node):
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            if called in _REGISTERING:
                return True
            given = [a.value if isinstance(a, ast.Starred) else a for a in node.args]
            given += [k.value for k in node.keywords]
            if any(f"self.{name}" == chain(a) for a in given) and called not in LOOKING:
                return True
        elif (
            isinstance(node, ast.Assign | ast.Return)
            and node.value is not None
            and chain(node.value) == f"self.{name}"
        ):
            return True
        if isinstance(node, ast.Attribute) and node.attr in ("requires_grad", "requires_grad_"):
            return True
        if (
            isinstance(node, ast.Attribute)
            and chain(node) == f"self.{name}"
            and isinstance(node.ctx, ast.Load)
        ):
            reads.append(node)
    inside = set(ast.walk(info.node))
    if any(use.attr == name for use in module.nodes(ast.Attribute) if use not in inside):
        return True
    return not any(_runs(module, read) for read in reads)


def _runs(module: Module, read: ast.Attribute) -> bool:
    """Whether an attribute is read in a method other than ``__init__``, with gradients on."""
    function = module.tree.function(read)
    return getattr(function, "name", "__init__") != "__init__" and module.grad_disabled(read) is None
