"""The static half of ``whygrad.rules.rounded_path``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.torch_names import ROUNDING
from whygrad.lint.values import Value


def check(module: Module) -> Iterator[Hit]:
    """Rounding on the way from parameters to a loss or to what a module returns, where no other way leads past it."""
    told: set[ast.AST] = set()
    ends = [*(loss.node for loss in module.losses()), *module.outputs()]
    for end in ends:
        for value in module.upstream(end, differentiable=True):
            argument = _rounded(value)
            if argument is None or value.module is not module or value.node in told:
                continue
            told.add(value.node)
            if (
                not _is_conditional(module, value.node)
                and module.has_history(argument)
                and not _past(module, end, value, argument)
            ):
                yield Hit(
                    value.node,
                    f"the derivative of {_name(value.node)} is 0 everywhere: what goes into it gets a gradient of zero here",
                    "Hand the gradient through: x + (x.round() - x).detach(), or leave the rounding out while training.",
                    severity="warning",
                    link=6,
                    role="zero",
                )


def _rounded(value: Value) -> ast.expr | None:
    """What is rounded by an expression."""
    call = value.node
    if not isinstance(call, ast.Call) or value.part:
        return None
    home, _, last = value.module.dotted(call.func).rpartition(".")
    if home == "torch" and last in ROUNDING and call.args:
        return call.args[0]
    if not home and isinstance(call.func, ast.Attribute) and call.func.attr in ROUNDING:
        return call.func.value
    return None


def _name(node: ast.AST) -> str:
    assert isinstance(node, ast.Call)
    return node.func.attr if isinstance(node.func, ast.Attribute) else "round"


def _is_conditional(module: Module, node: ast.AST) -> bool:
    """Whether it only happens sometimes, as in evaluation."""
    return any(isinstance(above, ast.If | ast.IfExp) for above in module.tree.above(node))


def _past(module: Module, end: ast.expr, rounded: Value, argument: ast.expr) -> bool:
    """Whether what is rounded also reaches the end as it is, as in ``x - x.floor()``."""
    made = {value.node for value in module.origins(argument)} | {argument}
    text = ast.dump(argument)
    others = module.upstream(end, differentiable=True, without=rounded.node)
    return any(
        other.node is not rounded.node and (other.node in made or ast.dump(other.node) == text)
        for other in others
    )
