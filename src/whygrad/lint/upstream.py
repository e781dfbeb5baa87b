"""All expressions that a value is computed from: operands, arguments, receivers, and what the functions called return."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.lint import torch_names
from whygrad.lint.rebuilding import hands_on
from whygrad.lint.values import Value

if TYPE_CHECKING:
    from whygrad.lint.module import Module

_LIMIT = 120


def upstream(
    module: Module, node: ast.AST, differentiable: bool = False, without: ast.AST | None = None
) -> Iterator[Value]:
    """The value itself first, then what it is made of, nearest first; each expression once.

    ``differentiable``: only through what hands a gradient back; ``without``: not through this expression."""
    queue: list[tuple[Module, ast.AST]] = [(module, node)]
    seen: set[tuple[ast.AST, str, int | None]] = set()
    while queue and len(seen) < _LIMIT:
        where, current = queue.pop(0)
        for value in where.origins(current):
            key = (value.node, value.part, value.index)
            if key in seen:
                continue
            seen.add(key)
            yield value
            if value.node is without or (differentiable and _ends(value)):
                continue
            if value.part and not isinstance(value.node, ast.AugAssign):
                queue += [(value.module, part) for part in iterated(value)]
                continue
            parts = [
                part for part in _parts(value.node) if not value.module.dotted(part)
            ]  # not ``torch`` in torch.sum
            queue += [(value.module, part) for part in parts]
            if isinstance(value.node, ast.List):
                queue += [(value.module, part) for part in value.module.put_into(value.node)]
            if isinstance(value.node, ast.Call):
                returned = value.module.returned(value.node)
                if returned is not None:
                    queue += [(returned[0], expression) for expression in returned[1]]


def _ends(value: Value) -> bool:
    """Whether no gradient goes back through an expression."""
    node, module = value.node, value.module
    if module.grad_disabled(node) is not None or isinstance(node, ast.Compare):
        return True
    if isinstance(node, ast.Attribute):
        return node.attr in ("data", "shape", "indices", "device", "dtype")
    if not isinstance(node, ast.Call):
        return False
    if module.dotted(node.func) in torch_names.WITHOUT_HISTORY and not hands_on(module, node):
        return module.dotted(node.func).rpartition(".")[2] not in torch_names.ROUNDING
    return isinstance(node.func, ast.Attribute) and node.func.attr in (
        "detach", "item", "tolist", "numpy", "argmax", "argmin", "argsort", "long", "int", "bool", "size", "apply"
    )  # fmt: skip


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What an expression is computed from, without conditions and indices."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
        for argument in node.args:
            yield argument.value if isinstance(argument, ast.Starred) else argument
        for keyword in node.keywords:
            yield keyword.value
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.AugAssign):
        yield from (node.target, node.value)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        yield node.value
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        yield from node.elts
    elif isinstance(node, ast.ListComp | ast.GeneratorExp):
        yield node.elt
    elif isinstance(node, ast.Dict):
        yield from node.values


def iterated(value: Value) -> list[ast.AST]:
    """What an item or element of ``value.node`` is taken from: through ``zip`` and ``enumerate``."""
    node = value.node
    if value.part == "element" and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "zip":
            return (
                [node.args[value.index]]
                if value.index is not None and value.index < len(node.args)
                else [*node.args]
            )
        if node.func.id in ("enumerate", "reversed", "list", "tuple", "sorted"):
            return [*node.args[:1]] if node.func.id != "enumerate" or value.index != 0 else []
    return [node]
