"""The static half of ``whygrad.rules.gradients_cleared_before_step``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import Round, here, moved, quiet_between, rounds
from whygrad.lint.training import Event


def check(module: Module) -> Iterator[Hit]:
    """``backward``, ``zero_grad``, ``step``: the step finds no gradient."""
    told: set[ast.AST] = set()
    for one in rounds(module):
        for first, clear, step in _triples(one):
            if clear.node in told or not _same(module, clear, step):
                continue
            told.add(clear.node)
            what = f"{clear.name}.zero_grad()" if _is_zero_grad(clear) else "the gradients are cleared; this"
            yield Hit(
                clear.node,
                f"{what} comes between backward() and {step.name or 'the optimizer'}.step(): the step finds no gradient",
                f"Clear the gradients before backward() or after {step.name or 'the optimizer'}.step().",
                link=7,
                role="cleared",
                also=((first.node, "backward"), (step.node, "step")),
                edits=moved(module, clear, after=step),
            )


def _triples(one: Round) -> Iterator[tuple[Event, Event, Event]]:
    """``backward``, ``zero_grad``, ``step`` one after the other, the latter two always together."""
    events = one.of("backward", "zero_grad", "step", "scaler_step")
    for first, clear, step in zip(events, events[1:], events[2:], strict=False):
        if [first.kind, clear.kind] != ["backward", "zero_grad"] or step.kind not in ("step", "scaler_step"):
            continue
        if not all(here(e) and not e.loops for e in (first, clear, step)):
            continue
        together = step.conditions[: len(clear.conditions)] == clear.conditions
        before = clear.conditions[: len(first.conditions)] == first.conditions
        if together and before and quiet_between(one.module, clear, step):
            yield first, clear, step


def _is_zero_grad(clear: Event) -> bool:
    return isinstance(clear.node, ast.Call) and getattr(clear.node.func, "attr", "") == "zero_grad"


def _same(module: Module, clear: Event, step: Event) -> bool:
    """Whether what is cleared is what the step uses: the optimizer itself, or the model whose parameters it holds."""
    if not clear.name or not _is_zero_grad(clear) or step.subject is None:
        return False
    optimizer = chain(step.subject)
    if clear.name == optimizer:
        return True
    instance = module.instance(step.subject)
    if instance is None or instance.call is None or clear.subject is None:
        return False
    held = [one for one in module.held if one.optimizer is instance.call]
    cleared = module.instance(clear.subject)
    same_model = [
        one
        for one in held
        if one.name == clear.name
        or (one.instance is not None and cleared is not None and one.instance.call is not None and one.instance.call is cleared.call)
    ]  # fmt: skip
    return bool(held) and len(same_model) == len(held)
