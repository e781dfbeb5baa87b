"""A tensor was built anew from the numbers of another one, which leaves its history behind."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, blamed, distinct


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose value passes through torch.tensor(...), torch.Tensor(...) or the like."""
    for indices, which, ops in blamed(graph, "rebuilt"):
        name = graph.flow.kind(ops[0]).name
        name = name if name == "Variable" else f"torch.{name.removeprefix('torch.')}"
        yield Finding(
            rule="rebuilt-tensor",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: {name}(...) copies numbers, without their history",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([s for op in ops for s in graph.op_sites(op, "cut")]),
            path=graph.path(indices[0], ops[0], which),
            evidence={"grad_norm": None},
            fix="Join tensors with torch.stack or torch.cat instead; a result that is already a tensor needs no wrapping.",
        )
