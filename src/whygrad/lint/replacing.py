"""Statements that put another layer into a model."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.classes import assigned, self_name
from whygrad.lint.flow import chain
from whygrad.lint.module import Module
from whygrad.lint.values import bind


def replaced(module: Module, statement: ast.stmt, name: str) -> Iterator[tuple[ast.expr, ast.Call, Module]]:
    """The layers of a model that a statement replaces, or a function that it calls with it."""
    for target, value in assigned(statement):
        if _owner(target) == name and isinstance(value, ast.Call):
            yield target, value, module
    call = statement.value if isinstance(statement, ast.Expr) else None
    found = module.callee(call) if isinstance(call, ast.Call) else None
    if found is None or not isinstance(call, ast.Call):
        return
    other, function = found
    method = isinstance(call.func, ast.Attribute) and other.tree.owner(function) is not None
    own = {arg: chain(value) for arg, value in (bind(function, call, method) or {}).items()}
    if method and isinstance(call.func, ast.Attribute):
        own[self_name(function)] = chain(call.func.value)
    for inner in function.body:
        for target, value in assigned(inner):
            if isinstance(value, ast.Call) and isinstance(target, ast.Attribute | ast.Subscript):
                root, _, rest = _owner(target).partition(".")
                whole = own.get(root, "")
                if whole == name or (rest and f"{whole}.{rest}" == name):
                    yield target, value, other


def _owner(target: ast.expr) -> str:
    """``model`` for ``model.fc``, ``model.head[2]`` and ``model[0]``."""
    depth = 0
    while isinstance(target, ast.Attribute | ast.Subscript):
        target, depth = target.value, depth + 1
        if chain(target) and depth:
            names = chain(target).split(".")
            return names[0] if names[0] != "self" else ".".join(names[:2])
    return ""


def block(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    """The block that a statement stands in; empty for a part of another one."""
    around = module.tree.parent(statement)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(around, name, None)
        if isinstance(block, list) and statement in block:
            return block
    return []
