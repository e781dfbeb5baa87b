"""Statements that switch parameters of a whole module off or on: ``requires_grad_``, loops, helper functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.lint.flow import chain
from whygrad.lint.module import Module


@dataclass(frozen=True, eq=False)
class Freeze:
    """``name`` is the module as text (empty if it is not known), ``on`` what it is switched to (None: by a variable)."""

    node: ast.AST
    name: str
    on: bool | None


def freezes(module: Module) -> Iterator[Freeze]:
    """All of them in the file, helper functions called ``...requires_grad...`` or ``freeze``/``unfreeze`` included."""
    for call in module.calls():
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name == "requires_grad_" and isinstance(call.func, ast.Attribute):
            owner = chain(call.func.value) or _iterated(module, call)
            yield Freeze(call, owner, _constant(call.args[0]) if call.args else True)
        elif "requires_grad" in name and name != "requires_grad_" and len(call.args) == 2:
            yield Freeze(call, chain(call.args[0]), _constant(call.args[1]))
        elif name in ("freeze", "unfreeze") and len(call.args) <= 1:
            subject = call.args[0] if call.args else getattr(call.func, "value", call)
            yield Freeze(call, chain(subject), name == "unfreeze")
    for statement in module.nodes(ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                yield Freeze(statement, _iterated(module, statement), _constant(statement.value))


def _constant(node: ast.expr) -> bool | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, bool) else None


def _iterated(module: Module, node: ast.AST) -> str:
    """The module whose parameters the loop around a statement goes over, if that loop is all that is around it."""
    above = module.tree.parent(module.tree.statement(node))
    if not isinstance(above, ast.For) or not isinstance(above.iter, ast.Call):
        return ""
    function = above.iter.func
    whole = isinstance(function, ast.Attribute) and function.attr in ("parameters", "named_parameters")
    return chain(function.value) if whole and isinstance(function, ast.Attribute) else ""
