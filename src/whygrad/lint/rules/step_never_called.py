"""The static half of ``whygrad.rules.step_never_called``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix, insert
from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import elsewhere, given, statement
from whygrad.lint.training import Event, Loop
from whygrad.lint.writing import line_after


def check(module: Module) -> Iterator[Hit]:
    """Loops with ``backward`` in which the optimizer's ``step`` is missing, or is left out by a condition the wrong way round."""
    told: set[ast.AST] = set()
    for loop in module.loops():
        yield from _inverted(module, loop, told)
        yield from _missing(module, loop, told)


def _inverted(module: Module, loop: Loop, told: set[ast.AST]) -> Iterator[Hit]:
    """``if i % n:`` around step and zero_grad, with a ``backward`` at every round; ``i % n == n``, which never is."""
    steps = [e for e in loop.of("step", "scaler_step") if len(e.conditions) == 1 and not e.loops]
    backward = next((e for e in loop.of("backward") if e.always), None)
    if backward is None or len(steps) != 1 or len(loop.of("step", "scaler_step")) != 1:
        return
    guard = steps[0].conditions[0]
    inside = [e for e in loop.of("zero_grad") if guard in e.conditions]
    if (
        not isinstance(guard, ast.If)
        or guard.orelse
        or guard.test in told
        or not inside
        or steps[0].module is not module
    ):
        return
    test, never = guard.test, False
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        left, right = test.left, test.comparators[0]
        never = isinstance(left, ast.BinOp) and ast.dump(left.right) == ast.dump(right)
        test = left if never else test
    if not isinstance(test, ast.BinOp) or not isinstance(test.op, ast.Mod):
        return
    number = test.right.value if isinstance(test.right, ast.Constant) else None
    if isinstance(test.left, ast.Constant) or isinstance(number, str) or (number == 2 and not never):
        return
    told.add(guard.test)
    text, n = module.source.segment(test), module.source.segment(test.right)
    yield Hit(
        guard.test,
        f"{text} == {n} is never true: the optimizer never steps"
        if never
        else f"the optimizer steps except where {text} is 0: the condition is the wrong way round, and with {n} = 1 it never steps",
        f"Write if {text} == 0:, counting so that the last batch of a group meets it.",
        severity="error" if never else "warning",
        link=7,
        role="condition",
        also=((steps[0].node, "step"), (backward.node, "backward")),
        edits=None if never else Fix((insert(module.source.span(guard.test).end, " == 0"),), safe=False),
    )


def _missing(module: Module, loop: Loop, told: set[ast.AST]) -> Iterator[Hit]:
    """``zero_grad`` and ``backward`` at every round, and in the whole file no ``step`` but that of a scheduler."""
    clear = next((e for e in loop.of("zero_grad") if e.always and e.subject is not None and e.name), None)
    backward = next((e for e in loop.of("backward") if e.always), None)
    if clear is None or backward is None or backward.node in told or backward.module is not module:
        return
    optimizer = clear.module.instance(clear.subject) if clear.subject is not None else None
    if optimizer is None or optimizer.category != "optimizer" or optimizer.info is not None:
        return
    if loop.of("step", "scaler_step") or elsewhere(module, loop.node, "step("):
        return
    if _stepped(module) or _handed_on(module, loop, clear):
        return
    told.add(backward.node)
    yield Hit(
        backward.node,
        f"{clear.name} never steps: gradients are computed and cleared, and no weight changes",
        f"Call {clear.name}.step() after backward().",
        link=7,
        role="backward",
        also=((clear.node, "cleared"),) if clear.module is module else (),
        edits=_added(module, backward, clear.name),
    )


def _stepped(module: Module) -> bool:
    """Whether the file names a ``step`` that may be an optimizer's, or another way to change weights."""
    for use in module.nodes(ast.Attribute):
        if use.attr in ("data", "_foreach_add_", "minimize", "grad") and not module.dotted(use):
            return True
        if "step" in use.attr and isinstance(use.ctx, ast.Load):
            scheduler = module.category(use.value) == "scheduler" or "sched" in chain(use.value).lower()
            call = module.tree.parent(use)
            plain = use.attr == "step" and isinstance(call, ast.Call) and call.func is use
            if (plain and not scheduler) or (use.attr == "step" and not plain):
                return True
    return False


def _handed_on(module: Module, loop: Loop, clear: Event) -> bool:
    """Whether the optimizer is given to something else than a scheduler, or kept where others may find it."""
    if "." in clear.name and clear.name.partition(".")[0] != "self":
        return True
    last = clear.name.rpartition(".")[2]
    for call in module.nodes(ast.Call):
        if given(call, clear.name) or given(call, last):
            scheduler = module.category(call) == "scheduler"
            found = module.callee(call)
            if not scheduler and (found is None or found[0] is not module):
                return True
    return "." in clear.name and not isinstance(loop.node, ast.For)


def _added(module: Module, backward: Event, name: str) -> Fix | None:
    line = statement(module, backward)
    added = line_after(module, line, f"{name}.step()") if line is not None else None
    return Fix((added,), safe=False) if added is not None and backward.via is None else None
