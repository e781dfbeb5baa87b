"""The static half of ``whygrad.rules.gradients_never_cleared``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import elsewhere, handed_on, plain_rounds, statement
from whygrad.lint.training import Event, Loop
from whygrad.lint.writing import line_after

#: Names by which gradients may be cleared, replaced or taken in another way.
_CLEARING = frozenset(
    {"zero_grad", "grad", "clear_grad", "zero_grads", "set_to_none", "make_functional", "functional_call"}
)


def check(module: Module) -> Iterator[Hit]:
    """``backward`` and ``step`` at every round, and nothing in the file that clears a gradient."""
    if any(use.attr in _CLEARING for use in module.nodes(ast.Attribute)):
        return
    told: set[ast.AST] = set()
    for loop in plain_rounds(module):
        step, backward = loop.of("step")[-1], loop.of("backward")[-1]
        if loop.of("zero_grad") or elsewhere(module, loop.node, "zero_grad") or handed_on(module, loop):
            continue
        if (
            step.module is module
            and backward.module is module
            and _one_of_torch(module, step)
            and not _made_in(module, loop, step)
            and backward.node not in told
        ):
            told.add(backward.node)
            yield _hit(module, backward, step)
    yield from _closures(module, told)


def _hit(module: Module, backward: Event, step: Event) -> Hit:
    return Hit(
        backward.node,
        f"no gradient is ever cleared: each {step.name}.step() uses the sum of all gradients so far",
        f"Call {step.name}.zero_grad() once for each {step.name}.step(), before backward().",
        link=10,
        role="backward",
        also=((step.node, "step"),),
        edits=_cleared(module, step),
    )


def _closures(module: Module, told: set[ast.AST]) -> Iterator[Hit]:
    """``optimizer.step(closure)`` in a loop, with a ``backward`` in the closure: LBFGS calls it several times a step."""
    for call, receiver in module.method_calls("step"):
        if len(call.args) != 1 or module.category(receiver) != "optimizer":
            continue
        closure = module.origins(call.args[0]).only
        if closure is None or closure.module is not module or not isinstance(closure.node, ast.FunctionDef):
            continue
        name = module.source.segment(receiver)
        for node in module.body_nodes(closure.node):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", "") == "backward"
                and node not in told
            ):
                told.add(node)
                yield Hit(
                    node,
                    f"no gradient is ever cleared: {name} calls {closure.node.name}() at each step, and the gradients add up",
                    f"Call {name}.zero_grad() at the start of {closure.node.name}().",
                    link=10,
                    role="backward",
                    also=((call, "step"),),
                )


def _one_of_torch(module: Module, step: Event) -> bool:
    """Whether the optimizer is surely one of torch's, none of which clears gradients by itself."""
    instance = module.instance(step.subject) if step.subject is not None else None
    return instance is not None and instance.category == "optimizer" and instance.info is None


def _made_in(module: Module, loop: Loop, step: Event) -> bool:
    """Whether the optimizer is made anew at every round: where its model is too, no gradient is left from the last one."""
    made = module.instance(step.subject) if step.subject is not None else None
    return made is not None and made.call is not None and loop.node in module.tree.above(made.call)


def _cleared(module: Module, step: Event) -> Fix | None:
    line = statement(module, step)
    added = line_after(module, line, f"{step.name}.zero_grad()") if line is not None else None
    return Fix((added,)) if added is not None else None
