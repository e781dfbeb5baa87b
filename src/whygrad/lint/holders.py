"""Objects and functions that hold layers, and are no modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.classes import ClassInfo
from whygrad.lint.kinds import Instance
from whygrad.lint.module import Module
from whygrad.lint.parametric import has_parameters
from whygrad.lint.scopes import arguments

_DEPTH = 3


def layers_of(instance: Instance, depth: int = 0) -> Iterator[ast.AST]:
    """The layers that an object of a class which surely is no module makes for itself in its ``__init__``."""
    info, home = instance.info, instance.home
    if info is None or home is None or home.is_module_class(info) is not False or depth > _DEPTH:
        return
    if {"parameters", "named_parameters", "__getattr__", "children"} & set(info.methods):
        return
    for attributes in info.attributes.values():
        for found in attributes:
            if len(attributes) > 1 or not isinstance(found.value, ast.Call) or found.method is None:
                continue
            made = home.instance(found.value)
            if has_parameters(made):
                yield found.value
            elif made is not None and made.call is found.value:
                yield from layers_of(made, depth + 1)


def outer_names(module: Module, function: ast.Lambda) -> Iterator[ast.Name]:
    """The names a lambda takes from around it."""
    own = {arg.arg for arg in arguments(function)}
    return (n for n in ast.walk(function.body) if isinstance(n, ast.Name) and n.id not in own)


def made_here(module: Module, info: ClassInfo, name: ast.Name) -> Iterator[ast.AST]:
    """The layers that a local name stands for which nothing else keeps."""
    for definition in module.definitions(name) or ():
        value = definition.value
        if (
            definition.how == "value"
            and isinstance(value, ast.Call)
            and has_parameters(module.instance(value))
        ):
            uses = [n for n in ast.walk(info.node) if isinstance(n, ast.Name) and n.id == name.id]
            calls = [n.func for n in ast.walk(info.node) if isinstance(n, ast.Call)]
            if all(isinstance(use.ctx, ast.Store) or use in calls for use in uses):
                yield value
