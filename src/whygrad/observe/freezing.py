"""What a ``train`` that a script has written freezes, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from whygrad.observe.containers import attributes
from whygrad.observe.definitions import called_name, function_of
from whygrad.observe.frames import Stacks

_DEPTH = 3  #: methods of the same object that are followed into each other
_ALL = ("modules", "children", "parameters", "named_modules", "named_children", "named_parameters")


class Freeze(NamedTuple):
    """A statement that freezes: of which attribute of ``self`` (empty: of some modules within), by evaluation mode
    (``mode``) or by ``requires_grad``."""

    code: CodeType
    line: int
    attribute: str
    mode: bool


def freezes(stacks: Stacks, module: Any, function: FunctionType, depth: int = _DEPTH) -> Iterator[Freeze]:
    """The statements that would run in training mode, as far as their conditions can be told; also in other methods."""
    own = function_of(stacks, function.__code__)
    if own is None:
        return
    loops = {
        n.target.id: n.iter
        for n in ast.walk(own)
        if isinstance(n, ast.For) and isinstance(n.target, ast.Name)
    }
    for statement in _running(own.body, module):
        for node in ast.walk(statement):
            yield from _freeze(node, loops, function.__code__)
            if depth and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                inner = (
                    method(type(module), node.func.attr) if ast.unparse(node.func.value) == "self" else None
                )
                if inner is not None and inner is not function and stacks.is_user(inner.__code__):
                    yield from freezes(stacks, module, inner, depth - 1)


def calls_original(stacks: Stacks, function: FunctionType) -> bool:
    """Whether a method calls the one that it overrides."""
    own = function_of(stacks, function.__code__)
    nodes = [n for n in (ast.walk(own) if own is not None else ()) if isinstance(n, ast.Call)]
    return any(ast.unparse(n.func).startswith("super(") and called_name(n) == own.name for n in nodes if own)


def method(kind: type, name: str) -> FunctionType | None:
    """A method of a class, if it is an ordinary function."""
    found = next((c.__dict__[name] for c in kind.__mro__ if name in c.__dict__), None)
    return found if type(found) is FunctionType else None


def _running(body: list[ast.stmt], module: Any) -> Iterator[ast.stmt]:
    """Simple statements that run; nothing behind a condition that can't be told, or a return."""
    for statement in body:
        if isinstance(statement, ast.If):
            holds = _holds(statement.test, module)
            if holds is not False and any(isinstance(n, ast.Return) for n in ast.walk(statement)):
                return
            if holds is not None:
                yield from _running(statement.body if holds else statement.orelse, module)
        elif isinstance(statement, (ast.For, ast.While, ast.With)):
            yield from _running(statement.body, module)
        else:
            yield statement


def _holds(test: ast.expr, module: Any) -> bool | None:
    """Whether a condition holds in training mode; None where that can't be told."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [_holds(value, module) for value in test.values]
        return False if False in parts else None if None in parts else True
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _holds(test.operand, module)
        return None if inner is None else not inner
    if isinstance(test, ast.Name):
        return True if test.id == "mode" else None
    if isinstance(test, ast.Call):
        return True if getattr(test.func, "id", "") == "isinstance" else None
    if isinstance(test, ast.Attribute) and ast.unparse(test.value) == "self":
        value = attributes(module).get(test.attr)
        return bool(value) if type(value) in (bool, int) else None
    return None


def _freeze(node: ast.AST, loops: dict[str, ast.expr], code: CodeType) -> Iterator[Freeze]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        off = any(isinstance(a, ast.Constant) and a.value is False for a in node.args)
        name, holder = node.func.attr, node.func.value
        mode = (name == "eval" and not node.args) or (name == "train" and off)
        if (mode or (name == "requires_grad_" and off)) and "super(" not in ast.unparse(holder):
            yield Freeze(code, node.lineno, _part(holder, loops), mode)
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is False:
        for target in node.targets:
            if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                yield Freeze(code, node.lineno, _part(target.value, loops), False)


def _part(node: ast.expr, loops: dict[str, ast.expr]) -> str:
    """``backbone`` of ``self.backbone``, of ``self.backbone.parameters()``, and of a variable that goes over these."""
    if isinstance(node, ast.Name) and node.id in loops:
        return _part(loops[node.id], {})
    chain = []
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            chain.append(node.attr)
        node = node.func if isinstance(node, ast.Call) else node.value
    own = isinstance(node, ast.Name) and node.id == "self" and bool(chain)
    return chain[-1] if own and chain[-1] not in _ALL else ""
