"""The static half of ``whygrad.rules.unregistered_parameter``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix, replace
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_CONVERTING = (
    "to",
    "cuda",
    "cpu",
    "double",
    "half",
    "float",
    "bfloat16",
    "type",
    "view",
    "reshape",
    "clone",
    "t",
    "unsqueeze",
)


def check(module: Module) -> Iterator[Hit]:
    """The result of an operation on a Parameter as an attribute of a module, where the Parameter was meant."""
    for info in module.module_classes():
        for assignments in info.attributes.values():
            for found in assignments:
                init = getattr(found.method, "name", "") == "__init__"
                parameter = _inside(module, found.value) if init and found.value is not None else None
                if parameter is None or found.value is None:
                    continue
                yield Hit(
                    found.value,
                    f"self.{found.name} is a result computed from an nn.Parameter, not the Parameter: no optimizer gets it",
                    "Do the operation on the tensor first, and make a Parameter of the result.",
                    link=1,
                    role="not registered",
                    edits=_turned_round(module, found.value, parameter),
                )


def _inside(module: Module, node: ast.expr) -> ast.Call | None:
    """The ``nn.Parameter(...)`` that an operation is applied to; None for the Parameter itself."""
    operands: list[ast.expr] = []
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CONVERTING:
            operands = [node.func.value]
        elif module.dotted(node.func).startswith("torch.nn.functional."):
            operands = node.args[:1]
    for operand in operands:
        if isinstance(operand, ast.Call) and module.dotted(operand.func) == "torch.nn.Parameter":
            return operand
        deeper = _inside(module, operand)
        if deeper is not None:
            return deeper
    return None


def _turned_round(module: Module, node: ast.expr, parameter: ast.Call) -> Fix | None:
    """``nn.Parameter(t).to(d)`` becomes ``nn.Parameter(t.to(d))``."""
    method = (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.value is parameter
    )
    if not method or len(parameter.args) != 1 or parameter.keywords:
        return None
    source = module.source
    inner, outer, whole = source.span(parameter.args[0]), source.span(parameter), source.span(node)
    simple = isinstance(parameter.args[0], ast.Call | ast.Name | ast.Attribute | ast.Subscript)
    if not simple or source.text[inner.end : outer.end].strip() != ")":
        return None
    return Fix(
        (replace(whole, source.text[outer.start : inner.end] + source.text[outer.end : whole.end] + ")"),)
    )
