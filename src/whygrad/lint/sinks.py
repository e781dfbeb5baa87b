"""Where values end that should carry a history: the losses that go backward, and what modules return."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whygrad.lint import training

if TYPE_CHECKING:
    from whygrad.lint.module import Module


@dataclass(frozen=True)
class Loss:
    """The value ``node`` that ``call`` calls ``backward`` on."""

    node: ast.expr
    call: ast.Call


def losses(module: Module) -> Iterator[Loss]:
    """Every ``backward`` of the file, with its loss."""
    for call in module.calls():
        found = training.classify(module, call)
        if found is not None and found[0] == "backward" and found[1] is not None:
            yield Loss(_itself(module, found[1]), call)


def _itself(module: Module, node: ast.expr) -> ast.expr:
    """The loss that ``requires_grad_()`` was called on, which hides that it has no history and gives it none."""
    value = module.origins(node).only
    call = value.node if value is not None and not value.part and value.module is module else None
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "requires_grad_"
    ):
        return call.func.value
    return node


def outputs(module: Module) -> Iterator[ast.expr]:
    """What the ``forward`` methods of the modules in the file return."""
    for info in module.module_classes():
        forward = info.methods.get("forward")
        if forward is None:
            continue
        for node in module.body_nodes(forward):
            if isinstance(node, ast.Return) and node.value is not None:
                yield node.value
