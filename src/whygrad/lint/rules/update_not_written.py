"""The static half of ``whygrad.rules.update_not_written``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """``p = p - lr * p.grad`` in a loop over parameters, where nothing uses the new ``p``."""
    for loop in module.nodes(ast.For):
        if not _over_parameters(module, loop):
            continue
        names = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
        for statement in (node for part in loop.body for node in ast.walk(part)):
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            target = statement.targets[0]
            if (
                not isinstance(target, ast.Name)
                or target.id not in names
                or not _uses_gradient(statement.value, target.id)
            ):
                continue
            if not _is_read(module, statement, target.id):
                yield Hit(
                    statement,
                    f"the new value is bound to the name {target.id} and not written into the parameter",
                    f"Write in place, under torch.no_grad(): {target.id}.sub_(lr * {target.id}.grad).",
                    link=9,
                    role="not written",
                    also=((loop.iter, "loop"),),
                )


def _over_parameters(module: Module, loop: ast.For) -> bool:
    calls = (value.node for value in module.upstream(loop.iter) if isinstance(value.node, ast.Call))
    return any(getattr(call.func, "attr", "") in ("parameters", "named_parameters") for call in calls)


def _uses_gradient(node: ast.expr, name: str) -> bool:
    return any(
        isinstance(n, ast.Attribute)
        and n.attr == "grad"
        and isinstance(n.value, ast.Name)
        and n.value.id == name
        for n in ast.walk(node)
    )


def _is_read(module: Module, statement: ast.Assign, name: str) -> bool:
    """Whether the value that the statement gives the name is read anywhere."""
    flow = module.flow(module.tree.scope(statement))
    reads = (
        definitions for use, definitions in flow.uses.items() if isinstance(use, ast.Name) and use.id == name
    )
    return any(definition.node is statement for definitions in reads for definition in definitions)
