"""The optimizer holds a parameter that the model no longer uses: another object has taken its place."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Held by an optimizer, replaced in the model by a new Parameter or a new module of the same name."""
    params = graph.trace.params
    stale = [(i, graph.twins(i)) for i in graph.sick(8) if graph.stale(i)]
    for key, members in group(
        ((graph.updates.holders[i][0][0], params[twins[-1]].created if twins else -1), i)
        for i, twins in stale
    ):
        optimizer = graph.trace.optimizers[key[0]]  # type: ignore[index]
        twins = {i: graph.twins(i) for i in members}
        renewed = [i for i in members if len(twins[i]) > 1]
        if renewed:
            continue  # made anew again and again: parameter-created-in-forward
        new = [t for i in members for t in twins[i]]
        yield Finding(
            rule="optimizer-holds-stale-parameter",
            severity="error",
            title=f"{graph.count(members)}: {optimizer.kind} holds objects that the model no longer uses",
            parameters=graph.names(members),
            link=8,
            causes=distinct(
                [
                    *(graph.sites(params[new[0]].created, "replaced", 1) if new else ()),
                    *graph.sites(optimizer.created, "optimizer", 1),
                ]
            ),
            evidence={
                "grad_norm": None,
                "live_grad_norm": max(
                    (g.norm for t in new for _, g in graph.gradients.of.get(t, ())), default=None
                ),
                "weight_change": 0.0,
            },
            fix="Build the optimizer after the layers are replaced, or give it the new ones with "
            "optimizer.add_param_group({'params': ...}).",
        )
