"""The steps find a gradient and leave the parameter as it is, for no reason that another rule knows."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Full-precision parameters, gradient and learning rate above zero, that no step changed."""
    params = graph.trace.params
    found = []
    for index in graph.sick(9):
        rows = graph.updates.rows.get(index, [])
        rates = [r for n, _ in rows for r in graph.trace.steps[n].lrs]
        half = params[index].dtype in ("bfloat16", "float16")
        if rows and not half and any(rates) and not any(graph.updates.moved(r) for _, r in rows):
            found.append((graph.updates.holders[index][0][0], index))
    for key, indices in group(found):
        optimizer = graph.trace.optimizers[int(str(key))]
        yield Finding(
            rule="unchanged-by-steps",
            severity="warning",
            title=f"{graph.count(indices)} have gradients and are not changed by {optimizer.kind}.step()",
            parameters=graph.names(indices),
            link=9,
            causes=graph.sites(optimizer.created, "optimizer", 1),
            evidence={"grad_norm": graph.updates.rows[indices[0]][-1][1].grad, "weight_change": 0.0},
            fix="Look at what this optimizer does with the gradient: a learning rate too small to change a float32, or a "
            "step() of its own that returns early.",
        )
