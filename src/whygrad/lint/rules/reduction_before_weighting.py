"""The static half of ``whygrad.rules.reduction_before_weighting``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.loss_calls import LossCall, loss_calls
from whygrad.lint.module import Module
from whygrad.lint.writing import argument_added


def check(module: Module) -> Iterator[Hit]:
    """A focal loss of the mean: ``pt = exp(-ce)`` for a ``ce`` that is averaged over the samples already."""
    losses = {
        loss.call: loss
        for loss in loss_calls(module, "cross_entropy", "binary_cross_entropy_with_logits", "nll_loss")
    }
    for call in module.calls("torch.exp"):
        argument = call.args[0] if call.args else None
        if not isinstance(argument, ast.UnaryOp) or not isinstance(argument.op, ast.USub):
            continue
        value = module.origins(argument.operand).only
        loss = losses.get(value.node) if value is not None and isinstance(value.node, ast.Call) else None
        power = _power(module, call) if loss is not None and _is_averaged(loss) else None
        if loss is None or power is None:
            continue
        made = loss.maker or loss.call
        edit = (
            argument_added(module, made, 'reduction="none"')
            if "reduction" not in (loss.options or {})
            else None
        )
        yield Hit(
            made,
            "the loss is averaged over the samples before each of them is weighted by how sure the model is of it",
            'Compute it with reduction="none", weight each sample, and take the mean last.',
            link=10,
            role="averaged",
            also=((power, "weighted"),),
            edits=Fix((edit,), safe=False) if edit is not None else None,
        )


def _is_averaged(loss: LossCall) -> bool:
    if loss.options is None:
        return False
    reduction = loss.options.get("reduction")
    return not {"reduce", "size_average"} & loss.options.keys() and (
        reduction is None or (isinstance(reduction, ast.Constant) and reduction.value == "mean")
    )


def _power(module: Module, exp: ast.Call) -> ast.BinOp | None:
    """``(1 - pt) ** gamma`` with this ``pt``."""
    for power in module.nodes(ast.BinOp):
        base = power.left
        if (
            not isinstance(power.op, ast.Pow)
            or not isinstance(base, ast.BinOp)
            or not isinstance(base.op, ast.Sub)
        ):
            continue
        if any(value.node is exp for value in module.origins(base.right)):
            return power
    return None
