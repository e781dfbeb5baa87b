"""The static half of ``whygrad.rules.detached_path``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.dead_ends import dead_ends
from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.writing import replaced_by_part


def check(module: Module) -> Iterator[Hit]:
    """A loss all of whose history ends at detach() or .data; the outputs of a trained module that are only used so."""
    told: set[ast.AST] = set()
    for loss in module.losses():
        if not module.without_history(loss.node):
            continue
        for value in module.upstream(loss.node):
            cut = _cut(value.node)
            if (
                cut is None
                or value.module is not module
                or value.node in told
                or not module.has_history(cut[0])
            ):
                continue
            told.add(value.node)
            yield Hit(
                value.node,
                f"the loss has no history: {cut[1]} takes it away, so that backward() reaches no parameter",
                f"Call backward() on the value before {cut[1]}.",
                link=5,
                role="cut",
                also=((loss.call, "backward"),),
                edits=Fix((replaced_by_part(module, value.node, cut[0]),))
                if isinstance(value.node, ast.expr)
                else None,
            )
    for end in dead_ends(module, "detach"):
        if end.cut not in told:
            yield Hit(
                end.cut,
                f"{end.name} is in the optimizer, and all that is used of its output is detached: it gets no gradient",
                "Leave out the detach here, or take the module's parameters out of the optimizer if it is not to train.",
                severity="warning",
                link=5,
                role="cut",
                also=((end.call, "computed"),),
            )


def _cut(node: ast.AST) -> tuple[ast.expr, str] | None:
    """The tensor whose history is taken away, and by what."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("detach", "detach_")
    ):
        return node.func.value, f".{node.func.attr}()"
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return node.value, ".data"
    return None
