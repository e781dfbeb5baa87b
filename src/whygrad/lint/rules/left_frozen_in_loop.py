"""The static half of ``whygrad.rules.left_frozen_in_loop``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.freezing import Freeze, freezes
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """Parameters that an optimizer holds, frozen inside the training loop and switched on again nowhere."""
    found = list(freezes(module))
    loops = {loop.node for loop in module.loops()}
    for freeze in found:
        around = [above for above in module.tree.above(freeze.node) if above in loops]
        held = [one for one in module.held if one.name == freeze.name]
        if (
            not around
            or not held
            or _is_conditional(module, freeze, around[-1])
            or _comes_back(found, freeze)
        ):
            continue
        yield Hit(
            freeze.node,
            f"{freeze.name} is frozen here at every round of the loop, and nothing switches it on again",
            f"Switch it on again before its own update: {freeze.name}.requires_grad_(True).",
            severity="warning",
            link=2,
            role="frozen",
            also=((held[0].optimizer, "optimizer"),),
        )


def _comes_back(found: list[Freeze], freeze: Freeze) -> bool:
    return any(other.on is not False and other.name in (freeze.name, "") for other in found)


def _is_conditional(module: Module, freeze: Freeze, loop: ast.AST) -> bool:
    for above in module.tree.above(freeze.node):
        if above is loop:
            return False
        if isinstance(above, ast.If | ast.Try):
            return True
    return True
