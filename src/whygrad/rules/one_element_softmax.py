"""A softmax over a dimension of size 1 is the constant 1."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, vanished


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose only way to the loss leads through a softmax over one element."""
    for group in vanished(graph, "one-element-softmax"):
        loss = group.losses[0]
        shape = graph.trace.values[graph.trace.ops[loss.op].outs[0]].shape
        yield Finding(
            rule="one-element-softmax",
            severity="error",
            title=f"{graph.count(group.params)} get a gradient of exactly zero: softmax runs over a dimension of size 1",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct([s for one in group.losses for s in graph.op_sites(one.op, "zeroed")]),
            path=graph.path(group.params[0], loss.op),
            evidence={"grad_norm": 0.0, "arrives": graph.gradients.arriving(loss), "shape": str(list(shape))},
            fix=f"Normalise over the dimension that holds the alternatives: the shape here is {list(shape)}, and a softmax "
            "of one element is always 1.",
        )
