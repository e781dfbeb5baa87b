"""The static half of ``whygrad.rules.parameter_not_in_optimizer``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.left_out import left_out
from whygrad.lint.module import Module
from whygrad.lint.used_up import alone, used_twice


def check(module: Module) -> Iterator[Hit]:
    """Parameters that the optimizers of a file do not get, though a loss goes through them."""
    yield from _used_up(module)
    told: set[ast.AST] = set()
    for one in left_out(module):
        if one.held.optimizer not in told:
            told.add(one.held.optimizer)
            yield Hit(
                one.held.optimizer,
                f"this optimizer gets the parameters of {one.held.name}, and no optimizer gets those of {one.what}, "
                "which the loss goes through as well",
                f"Give {one.what}.parameters() to an optimizer, or freeze them with requires_grad_(False).",
                severity="warning",
                link=8,
                role="optimizer",
            )


def _used_up(module: Module) -> Iterator[Hit]:
    """A group of an optimizer that is a generator of parameters which has been gone through already."""
    for twice in used_twice(module):
        call = twice.call
        if call is None or module.category(call) != "optimizer" or alone(call, twice.second):
            continue
        name = twice.second.id
        yield Hit(
            call,
            f"{name} is a generator that has been gone through already: the optimizer gets none of its parameters",
            f"Make it a list where it is made: {name} = list(...).",
            link=8,
            role="optimizer",
            also=((twice.first, "used up"), (twice.made, "generator")),
            edits=twice.mended(module),
        )
