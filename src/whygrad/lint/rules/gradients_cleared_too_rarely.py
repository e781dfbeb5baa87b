"""The static half of ``whygrad.rules.gradients_cleared_too_rarely``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import elsewhere, handed_on, plain_rounds, statement
from whygrad.lint.training import Event, Loop
from whygrad.lint.writing import line_after


def check(module: Module) -> Iterator[Hit]:
    """``zero_grad`` in front of the loop that calls ``backward`` and ``step`` at every round, and nowhere else."""
    told: set[ast.AST] = set()
    for loop in plain_rounds(module):
        step, backward = loop.of("step")[-1], loop.of("backward")[-1]
        if elsewhere(module, loop.node, "zero_grad") or handed_on(module, loop):
            continue
        if (
            step.module is not module
            or step.via is not None
            or backward.module is not module
            or _cleared(loop)
        ):
            continue
        clears = list(_elsewhere(module, step.name))
        if len(clears) != 1 or clears[0] in told or not _in_front(module, clears[0], loop):
            continue
        told.add(clears[0])
        yield Hit(
            clears[0],
            f"{step.name}.zero_grad() is called before the loop only: each {step.name}.step() in it uses the sum of all "
            "gradients since",
            f"Call {step.name}.zero_grad() in the loop, once for each {step.name}.step().",
            link=10,
            role="cleared",
            also=((step.node, "step"), (backward.node, "backward")),
            edits=_in_loop(module, step),
        )


def _cleared(loop: Loop) -> bool:
    """Whether anything in the loop clears a gradient, or may."""
    return bool(loop.of("zero_grad")) or any(
        isinstance(node, ast.Attribute) and node.attr in ("grad", "zero_grad", "autograd")
        for node in ast.walk(loop.node)
    )


def _elsewhere(module: Module, name: str) -> Iterator[ast.Call]:
    """All calls of the file that clear gradients; there is doubt where one is not of that optimizer."""
    for call, receiver in module.method_calls("zero_grad"):
        if chain(receiver) != name:
            yield from (call, call)  # of something else: more than one
        yield call


def _in_front(module: Module, clear: ast.Call, loop: Loop) -> bool:
    """Whether it stands in the block of the loop, before it, on a line of its own."""
    line = module.tree.statement(clear)
    around = module.tree.parent(loop.node)
    body = getattr(around, "body", [])
    if not isinstance(line, ast.Expr) or line not in body or loop.node not in body:
        return False
    first = body.index(line) < body.index(loop.node)
    between = body[body.index(line) + 1 : body.index(loop.node)]
    return first and not any(isinstance(n, ast.For | ast.While) for s in between for n in ast.walk(s))


def _in_loop(module: Module, step: Event) -> Fix | None:
    line = statement(module, step)
    added = line_after(module, line, f"{step.name}.zero_grad()") if line is not None else None
    return Fix((added,)) if added is not None else None
