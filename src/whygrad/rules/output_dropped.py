"""The parameter is computed with, but the result never becomes part of a loss."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters in an optimizer whose last results nothing consumes, and which no backward pass reaches."""
    escaped = {v for e in graph.updates.events.get("escape", ()) for v in e.values}
    for _, indices in group((graph.trace.params[i].root, i) for i in graph.sick(4)):
        kept, ends = [], {}
        for index in indices:
            below = graph.flow.downstream(index)
            if index not in graph.updates.holders or escaped & below.keys():
                continue
            last = [op for v, op in below.items() if op >= 0 and not graph.flow.consumers.get(v)]
            if last:
                kept.append(index)
                ends.update(dict.fromkeys(graph.flow.kind(op).stack for op in last[-3:]))
        if kept:
            yield Finding(
                rule="output-dropped",
                severity="warning",
                title=f"{graph.count(kept)} get no gradient: what is computed from them is not part of the loss",
                parameters=graph.names(kept),
                link=4,
                causes=tuple(s for stack in list(ends)[:3] for s in graph.sites(stack, "dropped", 1)),
                evidence={"grad_norm": None},
                fix="Use this result in the value that backward() is called on, or take the parameters out of the optimizer.",
            )
