"""The static half of ``whygrad.rules.empty_parameter_list``, which has the page."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.used_up import alone, used_twice


def check(module: Module) -> Iterator[Hit]:
    """An optimizer that is given a generator of parameters which has been gone through already."""
    for twice in used_twice(module):
        call = twice.call
        if call is None or module.category(call) != "optimizer" or not alone(call, twice.second):
            continue
        name = twice.second.id
        yield Hit(
            call,
            f"{name} is a generator that has been gone through already: the optimizer gets no parameter, and raises",
            f"Make it a list where it is made: {name} = list(...).",
            link=8,
            role="optimizer",
            also=((twice.first, "used up"), (twice.made, "generator")),
            edits=twice.mended(module),
        )
