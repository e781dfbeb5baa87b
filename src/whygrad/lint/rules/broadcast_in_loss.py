"""The static half of ``whygrad.rules.broadcast_in_loss``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.finding import Severity
from whygrad.lint.columns import is_column
from whygrad.lint.dims import dimensions
from whygrad.lint.edits import Fix, insert
from whygrad.lint.hits import Hit
from whygrad.lint.loss_calls import loss_calls
from whygrad.lint.module import Module

_ELEMENTWISE = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def check(module: Module) -> Iterator[Hit]:
    """The column ``[N, 1]`` that a layer with one output gives, compared with flat targets ``[N]``: all pairs are."""
    for loss in loss_calls(module, *_ELEMENTWISE):
        if loss.target is not None and loss.call in module.counted:
            yield from _pairs(module, loss.call, loss.input, loss.target, "error")
    for node in module.nodes(ast.BinOp):
        if isinstance(node.op, ast.Sub) and node in module.in_losses:
            yield from _pairs(module, node, node.left, node.right, "warning")


def _pairs(
    module: Module, node: ast.expr, one: ast.expr, other: ast.expr, severity: Severity
) -> Iterator[Hit]:
    for column, flat in ((one, other), (other, one)):
        if is_column(module, column) and dimensions(module, flat) == 1:
            name, targets = module.source.segment(column), module.source.segment(flat)
            yield Hit(
                node,
                f"{name} is [N, 1] and {targets} is [N]: each output is compared with the target of every sample",
                f"Make them the same shape: {name}.squeeze(1), or {targets}.unsqueeze(1).",
                severity=severity,
                link=10,
                role="broadcast",
                edits=_squeezed(module, column),
            )


def _squeezed(module: Module, column: ast.expr) -> Fix | None:
    """``.squeeze(1)`` behind the output; it changes how the loss is computed, so it is for the user to say."""
    if not isinstance(column, ast.Call | ast.Name | ast.Attribute):
        return None
    return Fix((insert(module.source.span(column).end, ".squeeze(1)"),), safe=False)
