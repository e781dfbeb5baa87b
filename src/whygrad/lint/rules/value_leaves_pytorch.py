"""The static half of ``whygrad.rules.value_leaves_pytorch``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_LEAVING = ("item", "tolist", "numpy", "__float__")


def check(module: Module) -> Iterator[Hit]:
    """A loss that goes backward, all of which was a number on the way: .item(), .numpy(), .tolist() or float(...)."""
    told: set[ast.AST] = set()
    for loss in module.losses():
        if not module.without_history(loss.node):
            continue
        for value in module.upstream(loss.node):
            call = value.node
            if value.module is not module or not isinstance(call, ast.Call) or call in told:
                continue
            left = _left(call)
            if left is None or not module.has_history(left[0]):
                continue
            told.add(call)
            yield Hit(
                call,
                f"the loss is a plain number here: {left[1]} leaves PyTorch, and no gradient comes back through it",
                f"Call backward() on what {left[1]} was applied to, and use {left[1]} for printing only.",
                link=4,
                role="cut",
                also=((loss.call, "backward"),),
            )


def _left(call: ast.Call) -> tuple[ast.expr, str] | None:
    """The tensor that a call makes a number of, and how that reads."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in _LEAVING:
        return call.func.value, f".{call.func.attr}()"
    if isinstance(call.func, ast.Name) and call.func.id in ("float", "int") and len(call.args) == 1:
        return call.args[0], f"{call.func.id}(...)"
    return None
