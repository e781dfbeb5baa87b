"""What rules about a loss that is given the wrong thing share: one hit for each place that makes it wrong."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from whygrad.lint.edits import Fix, replace
from whygrad.lint.hits import Hit
from whygrad.lint.last_layer import Produced, produced
from whygrad.lint.loss_calls import LossCall, loss_calls
from whygrad.lint.module import Module
from whygrad.lint.writing import replaced_by_part


def wrongly_given(
    module: Module, functions: Collection[str], kinds: Collection[str]
) -> Iterator[tuple[LossCall, Produced]]:
    """The calls of these losses whose input is surely one of these ``kinds``, with what produced it, each place once."""
    told: set[ast.AST] = set()
    for loss in loss_calls(module, *functions):
        if loss.call not in module.counted:
            continue
        found = produced(module, loss.input)
        if not found or not all(one.what in kinds for one in found):
            continue
        for one in found:
            if one.node not in told:
                told.add(one.node)
                yield loss, one


def applied(
    module: Module, loss: LossCall, one: Produced, title: str, fix: str, edits: Fix | None = None
) -> Hit:
    """A finding at what should not be there, or at the loss where that stands in another file."""
    if one.module is not module:
        return Hit(
            loss.call, title, f"{fix} (It is made in {one.module.tree.path.name}.)", link=10, role="loss"
        )
    return Hit(one.node, title, fix, link=10, role="applied", also=((loss.call, "loss"),), edits=edits)


def missing(
    module: Module, loss: LossCall, one: Produced, title: str, fix: str, edits: Fix | None = None
) -> Hit:
    """A finding at the loss, in front of which something is missing."""
    also = ((one.node, "given"),) if one.module is module else ()
    return Hit(loss.call, title, fix, link=10, role="loss", also=also, edits=edits)


def taken_away(module: Module, loss: LossCall, one: Produced) -> Fix | None:
    """The activation left out: safe where it stands in the very call of the loss, for nothing else sees its result."""
    if one.module is not module or not isinstance(one.node, ast.Call):
        return None
    if one.argument is not None:
        inside = any(above is loss.call for above in module.tree.above(one.node))
        return Fix((replaced_by_part(module, one.node, one.argument),), safe=inside)
    maker = module.source.segment(one.node.func)
    home, dot, _ = maker.rpartition(".")
    if (
        not dot
        or module.dotted(one.node.func.value if isinstance(one.node.func, ast.Attribute) else None)
        != "torch.nn"
    ):
        return None
    return Fix((replace(module.source.span(one.node), f"{home}.Identity()"),), safe=False)
