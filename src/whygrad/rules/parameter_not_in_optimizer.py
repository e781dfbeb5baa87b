"""The parameter gets gradients, and no optimizer holds it."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Registered parameters at random values that every pass gives a gradient, outside all optimizers."""
    trace, params = graph.trace, graph.trace.params
    if not graph.updates.has_optimizer():
        return
    stale_names = {params[i].fqn for i in graph.sick(8) if graph.stale(i)}
    outside = [
        i for i in graph.sick(8) if i not in graph.updates.holders and params[i].fqn not in stale_names
    ]
    for root, indices in group((params[i].root, i) for i in outside):
        kin = {o for i, held in graph.updates.holders.items() if params[i].root == root for o, _ in held}
        optimizers = [trace.optimizers[o] for o in sorted(kin or set(range(len(trace.optimizers))))]
        places: list[Site] = [s for o in optimizers for s in graph.sites(o.created, "optimizer", 0)]
        norms = [graph.gradients.of[i][-1][1].norm for i in indices]
        yield Finding(
            rule="parameter-not-in-optimizer",
            severity="error" if kin else "warning",
            title=f"{graph.count(indices)} get gradients that no optimizer applies",
            parameters=graph.names(indices),
            link=8,
            causes=distinct([*places, *graph.sites(params[indices[0]].created, "created", 0)]),
            path=graph.path(indices[0]),
            evidence={"grad_norm": max(norms), "weight_change": 0.0},
            fix="Give the optimizer the parameters of the whole model, or freeze these (requires_grad_(False)) if they are "
            "to stay as they are.",
        )
