"""The static half of ``whygrad.rules.one_element_softmax``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.loss_calls import loss_calls
from whygrad.lint.module import Module

_SOFTMAX = ("torch.softmax", "torch.log_softmax", "torch.nn.functional.softmax", "torch.nn.functional.log_softmax",
            "torch.nn.functional.gumbel_softmax")  # fmt: skip
_DEPTH = 4


def check(module: Module) -> Iterator[Hit]:
    """A softmax over the single output of a linear layer, and a cross-entropy with a single class."""
    for call in module.calls(*_SOFTMAX):
        dim = next(
            (k.value for k in call.keywords if k.arg == "dim"), call.args[1] if len(call.args) > 1 else None
        )
        layer = _of_one(module, call.args[0], 0) if call.args and _is_last(dim) else None
        if layer is not None:
            yield _hit(
                module, call, layer, "softmax over the last dimension, which has one element, is always 1"
            )
    for loss in loss_calls(module, "cross_entropy"):
        layer = _of_one(module, loss.input, 0)
        if layer is not None:
            yield _hit(module, loss.call, layer, "cross_entropy with a single class is always 0")


def _hit(module: Module, call: ast.Call, layer: tuple[Module, ast.Call], what: str) -> Hit:
    where, made = layer
    return Hit(
        call,
        f"{what}: nothing before it gets a gradient",
        "Normalise over the dimension that holds the alternatives, or take a sigmoid for a single score.",
        link=6,
        role="zero",
        also=((made, "one output"),) if where is module else (),
    )


def _is_last(dim: ast.expr | None) -> bool:
    return isinstance(dim, ast.UnaryOp) and ast.unparse(dim) == "-1"


def _of_one(module: Module, node: ast.expr, depth: int) -> tuple[Module, ast.Call] | None:
    """The linear layer with one output whose result this is, as it is."""
    value = module.origins(node).only
    if value is None or value.part or not isinstance(value.node, ast.Call) or depth > _DEPTH:
        return None
    return _gives_one(value.module, value.node.func, value.node, depth)


def _gives_one(module: Module, layer: ast.AST, call: ast.Call, depth: int) -> tuple[Module, ast.Call] | None:
    instance = module.instance(layer)
    if instance is None or depth > _DEPTH:
        return None
    made, where = instance.call, instance.module or module
    if instance.info is not None:
        returned = module.returned(call)
        if returned is None or len(returned[1]) != 1:
            return None
        return _of_one(returned[0], returned[1][0], depth + 1)
    if made is None:
        return None
    if instance.name == "torch.nn.Sequential" and made.args and not isinstance(made.args[-1], ast.Starred):
        return _gives_one(where, made.args[-1], call, depth + 1)
    if instance.name != "torch.nn.Linear":
        return None
    size = (
        made.args[1]
        if len(made.args) > 1
        else next((k.value for k in made.keywords if k.arg == "out_features"), None)
    )
    return (where, made) if isinstance(size, ast.Constant) and size.value == 1 else None
