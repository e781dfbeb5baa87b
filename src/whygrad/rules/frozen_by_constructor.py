"""A constructor froze parameters that hold nothing but their random initialisation."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Frozen by a constructor or by ``from_pretrained``, at random values, computed with, and held by an optimizer."""
    found = [
        i
        for i in graph.sick(0)
        if i in graph.updates.holders
        and i in graph.flow.by_value
        and graph.at_random(i)
        and _by_constructor(graph, i)
    ]
    for stack, indices in group((_freeze(graph, i), i) for i in found):
        yield Finding(
            rule="frozen-by-constructor",
            severity="error",
            title=f"{graph.count(indices)} are frozen at their random initial values",
            parameters=graph.names(indices),
            link=2,
            causes=graph.sites(int(str(stack)), "frozen", 3),
            evidence={"requires_grad": False, "grad_norm": None, "weight_change": 0.0},
            fix="Nothing was loaded into them, yet requires_grad is False (the default there): pass freeze=False, "
            "or call requires_grad_(True) on the module before the optimizer is built.",
        )


def _by_constructor(graph: Graph, index: int) -> bool:
    stack = _freeze(graph, index)
    if stack < 0:
        return False
    frames = [graph.trace.frames[n] for n in graph.trace.stacks[stack]]
    by_itself = "from_pretrained" in frames[0].code
    return by_itself or (
        bool(graph.trace.params[index].flips) and any(f.function.endswith("__init__") for f in frames)
    )


def _freeze(graph: Graph, index: int) -> int:
    """Where it was frozen: the last change, or its creation if it was made frozen."""
    own = graph.trace.params[index]
    return own.flips[-1].stack if own.flips else own.created
