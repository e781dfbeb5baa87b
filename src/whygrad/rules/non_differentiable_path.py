"""The path from the parameter to the loss passes through an operation that has no derivative."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, blamed, distinct


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters that reach the loss only through argmax, a comparison, sampling or a cast to integers."""
    for indices, which, ops in blamed(graph, "non-differentiable"):
        labels = ", ".join(dict.fromkeys(graph.label(op) for op in ops))
        yield Finding(
            rule="non-differentiable-path",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: {labels} gives a value that has no derivative",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([s for op in ops for s in graph.op_sites(op, "cut")]),
            path=graph.path(indices[0], ops[0], which),
            evidence={"grad_norm": None},
            fix="Pass on a differentiable value: softmax weights, gumbel_softmax(hard=True) or a straight-through "
            "estimator in place of indices; the log-probability of a sample for a policy gradient.",
        )
