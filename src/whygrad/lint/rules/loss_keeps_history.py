"""The static half of ``whygrad.rules.loss_keeps_history``, which has the page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.lint.edits import Fix, insert
from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_EVALUATION = re.compile(r"(^|_)(val|valid|validat\w*|eval\w*|test\w*)(_|$)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class _Sum:
    """``name`` grows by ``added`` at every round of ``loop``, and begins outside of it."""

    statement: ast.stmt
    name: str
    added: ast.expr
    loop: ast.stmt


def check(module: Module) -> Iterator[Hit]:
    """Sums that grow by a loss with its graph: those that go backward again and again, and those that are only logged."""
    losses = list(module.losses())
    for found in _sums(module):
        inside = [loss for loss in losses if found.loop in module.tree.above(loss.call)]
        own = [loss for loss in losses if chain(loss.node) == found.name]
        again = [loss for loss in own if loss in inside and _innermost(module, loss.call) is found.loop]
        if again:
            yield Hit(
                found.statement,
                f"{found.name} keeps the graphs of all earlier rounds, and backward() goes through all of them every time",
                f"Call backward() on what is added to {found.name}, and add its detached value.",
                link=10,
                role="grows",
                also=((again[0].call, "backward"),),
            )
        elif not own and found.added not in module.in_losses and inside:
            yield _logged(
                module,
                found,
                "note",
                "The nodes of all graphs so far stay in memory; the training is not harmed.",
            )
        elif not losses_reached(module, found) and _evaluates(module, found.statement):
            yield _logged(
                module,
                found,
                "warning",
                "Without torch.no_grad() the activations of all batches stay in memory.",
            )


def losses_reached(module: Module, found: _Sum) -> bool:
    """Whether what is added up goes backward somewhere."""
    return found.added in module.in_losses


def _logged(module: Module, found: _Sum, severity: str, why: str) -> Hit:
    simple = isinstance(found.added, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    edit = insert(module.source.span(found.added).end, ".detach()") if simple else None
    return Hit(
        found.statement,
        f"{found.name} keeps the graph of every loss that is added to it",
        f"Add its detached value (or .item()). {why}",
        severity="warning" if severity == "warning" else "note",
        link=0,
        role="grows",
        edits=Fix((edit,)) if edit is not None else None,
    )


def _sums(module: Module) -> Iterator[_Sum]:
    for statement in module.nodes(ast.Assign, ast.AugAssign):
        target, added = _added(statement)
        loop = _innermost(module, statement)
        if target is None or added is None or not isinstance(loop, _LOOPS):
            continue
        begins = _begins_outside(module, statement, target, loop)
        if begins and module.has_history(added):
            yield _Sum(statement, chain(target), added, loop)


def _added(statement: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    """The sum and what is added to it."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add) and chain(statement.target):
        return statement.target, statement.value
    if (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.value, ast.BinOp)
    ):
        target, value = statement.targets[0], statement.value
        if isinstance(value.op, ast.Add) and chain(target) and chain(target) == chain(value.left):
            return target, value.right
    return None, None


def _innermost(module: Module, node: ast.AST) -> ast.AST | None:
    """The innermost loop around a node, in its function."""
    around = (*_LOOPS, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    found = next((above for above in module.tree.above(node) if isinstance(above, around)), None)
    return found if isinstance(found, _LOOPS) else None


def _begins_outside(module: Module, statement: ast.stmt, target: ast.expr, loop: ast.AST) -> bool:
    """Whether nothing in the loop but the statement itself sets the sum."""
    flow = module.flow(module.tree.scope(statement))
    name = chain(target)
    inside = [d.node for d in flow.all.get(name, ()) if loop in module.tree.above(d.node)]
    outside = "." in name or any(d.node not in inside for d in flow.all.get(name, ()))
    return outside and set(inside) <= {statement}


def _evaluates(module: Module, node: ast.AST) -> bool:
    """Whether the function is one for evaluation: by its name, or because it calls eval()."""
    function = module.tree.function(node)
    if not isinstance(function, ast.FunctionDef):
        return False
    if _EVALUATION.search(function.name):
        return True
    calls = (
        n
        for n in module.body_nodes(function)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
    )
    return any(
        call.func.attr == "eval" and not call.args for call in calls if isinstance(call.func, ast.Attribute)
    )
