"""A tensor was put into a module as a plain attribute."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Leaves that get gradients, sit in a module as plain (or converted) tensors, and that no optimizer holds."""
    params = graph.trace.params
    plain = [i for i in graph.sick(1) if params[i].hidden in ("attribute", "converted")]
    for _, indices in group((params[i].created, i) for i in plain):
        first = params[indices[0]]
        converted = first.hidden == "converted"
        what = (
            "a result computed from an nn.Parameter, not the Parameter"
            if converted
            else "a plain tensor, not an nn.Parameter"
        )
        fix = (
            "Convert the tensor first and wrap it last: nn.Parameter(tensor.to(...))."
            if converted
            else "Wrap it: self.name = nn.Parameter(tensor), so that parameters() contains it."
        )
        yield Finding(
            rule="unregistered-parameter",
            severity="error",
            title=f"{', '.join(graph.names(indices))} is {what}: no optimizer holds it",
            parameters=graph.names(indices),
            link=1,
            causes=distinct(
                [*graph.sites(first.created, "created", 1), *graph.sites(first.assigned, "assigned", 0)]
            ),
            path=graph.path(indices[0]),
            evidence={"grad_norm": graph.gradients.of[indices[0]][-1][1].norm, "weight_change": 0.0},
            fix=fix,
        )
