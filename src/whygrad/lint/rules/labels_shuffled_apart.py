"""The static half of ``whygrad.rules.labels_shuffled_apart``, which has the page."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_DRAWS = ("torch.randperm", "numpy.random.permutation")
_LABELS = re.compile(
    r"^(y|t|ys|targets?|labels?|lbls?)(_|\d|$)|(_y|labels?|targets?)$|^y[A-Z_]", re.IGNORECASE
)


def check(module: Module) -> Iterator[Hit]:
    """Inputs and labels each put into a random order of their own."""
    shuffled = [(s, name) for s in module.nodes(ast.Assign) if (name := _shuffled(module, s))]
    for (first, one), (second, other) in itertools.pairwise(shuffled):
        block = module.tree.parent(first) is module.tree.parent(second)
        near = block and first.end_lineno is not None and second.lineno - first.end_lineno <= 2
        if (
            near
            and one != other
            and _LABELS.search(other)
            and not _LABELS.search(one)
            and not _seeded(module, first, second)
        ):
            yield Hit(
                second,
                f"{one} and {other} are each put into a random order of their own, so that the labels fit no more",
                f"Draw one permutation and use it for both: order = torch.randperm(len({one})).",
                link=10,
                role="shuffled",
                also=((first, "shuffled"),),
            )


def _shuffled(module: Module, statement: ast.Assign) -> str:
    """The name ``x`` of ``x = x[torch.randperm(...)]``."""
    target, value = statement.targets[0], statement.value
    if (
        not isinstance(target, ast.Name)
        or not isinstance(value, ast.Subscript)
        or not isinstance(value.value, ast.Name)
    ):
        return ""
    drawn = isinstance(value.slice, ast.Call) and module.dotted(value.slice.func) in _DRAWS
    generator = isinstance(value.slice, ast.Call) and any(k.arg == "generator" for k in value.slice.keywords)
    return target.id if drawn and not generator and target.id == value.value.id else ""


def _seeded(module: Module, first: ast.stmt, second: ast.stmt) -> bool:
    calls = module.calls("torch.manual_seed", "numpy.random.seed")
    return any(first.lineno <= call.lineno <= second.lineno for call in calls)
