"""A Parameter is made anew at every call, so that what was learned is thrown away each time."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct


def check(graph: Graph) -> Iterator[Finding]:
    """Names under which three or more Parameters lived, one after the other, while training ran."""
    params = graph.trace.params
    first = min((b.tick for b in graph.trace.backwards), default=0)
    seen: set[str] = set()
    for index in graph.sick(8, 3, 1, -1):
        own = params[index]
        if own.role != "parameter" or own.fqn in seen:
            continue
        later = [i for i in graph.twins(index) if params[i].created_tick > first]
        if len(later) < 2:
            continue
        seen.add(own.fqn)
        newest = params[later[-1]]
        yield Finding(
            rule="parameter-created-in-forward",
            severity="error",
            title=f"{own.fqn} is created anew {len(later)} times while training: what it learns is thrown away",
            parameters=(own.fqn,),
            link=8,
            causes=distinct([*graph.sites(newest.created, "created", 3)]),
            evidence={
                "created": len(later) + 1,
                "grad_norm": max(
                    (g.norm for i in later for _, g in graph.gradients.of.get(i, ())), default=None
                ),
                "weight_change": 0.0,
            },
            fix="Create the Parameter once, in __init__; forward may only use it.",
        )
