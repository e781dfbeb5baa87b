"""The static half of ``whygrad.rules.non_differentiable_path``, which has the page."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.lint.dead_ends import dead_ends
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module


def check(module: Module) -> Iterator[Hit]:
    """The scores of a trained module of which only the index of the largest is used."""
    for end in dead_ends(module, "argmax"):
        yield Hit(
            end.cut,
            f"{end.name} is in the optimizer, and only an index is taken of its output: it gets no gradient",
            "Use the scores themselves: a softmax over them as weights, a straight-through estimator, or a policy gradient.",
            severity="warning",
            link=5,
            role="cut",
            also=((end.call, "computed"),),
        )
