"""The static half of ``whygrad.rules.adam_epsilon_underflow``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.writing import argument_added

_ADAMS = {
    "torch.optim.Adam",
    "torch.optim.AdamW",
    "torch.optim.NAdam",
    "torch.optim.RAdam",
    "torch.optim.Adamax",
}
_SMALLEST = 6e-8  #: the smallest number of half precision (a subnormal)


def check(module: Module) -> Iterator[Hit]:
    """Adam with an epsilon that half precision rounds to zero, over the parameters of a model in half precision."""
    for one in module.held:
        name = module.dotted(one.optimizer.func)
        epsilon = next((k.value for k in one.optimizer.keywords if k.arg == "eps"), None)
        default = epsilon is None and len(one.optimizer.args) < 4
        small = (
            isinstance(epsilon, ast.Constant)
            and isinstance(epsilon.value, float)
            and epsilon.value < _SMALLEST
        )
        halved = _halved(module, one.owner, one.optimizer) if name in _ADAMS and (default or small) else None
        if halved is None:
            continue
        edit = argument_added(module, one.optimizer, "eps=1e-4") if default else None
        yield Hit(
            one.optimizer,
            "the weights are in half precision, in which Adam's epsilon of 1e-8 is 0: a gradient of 0 gives 0 / 0",
            "Keep the weights in float32 and use torch.autocast, or give Adam eps=1e-4.",
            link=9,
            role="optimizer",
            also=((halved, "half precision"),),
            edits=Fix((edit,), safe=False) if edit is not None else None,
        )


def _halved(module: Module, owner: ast.expr, optimizer: ast.Call) -> ast.AST | None:
    """Where the model was turned into half precision, before the optimizer was built."""
    for value in module.origins(owner):
        if value.module is module and isinstance(value.node, ast.Call) and _is_half(module, value.node):
            return value.node
    for statement in module.nodes(ast.Expr):
        call = statement.value
        if isinstance(call, ast.Call) and _is_half(module, call) and isinstance(call.func, ast.Attribute):
            same = chain(call.func.value) == chain(owner) and chain(owner) != ""
            if (
                same
                and module.tree.scope(call) is module.tree.scope(optimizer)
                and call.lineno < optimizer.lineno
            ):
                return call
    return None


def _is_half(module: Module, call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "half":
        return not call.args
    types = [*call.args, *(k.value for k in call.keywords if k.arg == "dtype")]
    return call.func.attr == "to" and any(module.dotted(t) in ("torch.float16", "torch.half") for t in types)
