"""The learning rate is 0 at every step."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameter groups whose rate was exactly 0 whenever they were stepped (more than once)."""
    trace = graph.trace
    still = [i for i in graph.sick(9) if graph.updates.rows.get(i) and not graph.updates.resets(i)]
    zero = [
        (key, i) for i in still for key in graph.updates.holders.get(i, ())[:1] if _always_zero(graph, *key)
    ]
    for key, indices in group(zero):
        optimizer = trace.optimizers[key[0]]  # type: ignore[index]
        moved = [e for e in graph.updates.events.get("scheduler-step", ()) if e.optimizer == key[0]]  # type: ignore[index]
        places = list(graph.sites(optimizer.created, "optimizer", 1))
        if moved:
            places += graph.sites(moved[0].stack, "schedule", 1)
        yield Finding(
            rule="learning-rate-zero",
            severity="error",
            title=f"{graph.count(indices)} have gradients and do not change: their learning rate is 0 at every step",
            parameters=graph.names(indices),
            link=9,
            causes=distinct(places),
            evidence={
                "lr": 0.0,
                "grad_norm": graph.updates.rows[indices[0]][-1][1].grad,
                "weight_change": 0.0,
            },
            fix="Give this group a learning rate; with a schedule, look at what it multiplies the rate by at step 0.",
        )


def _always_zero(graph: Graph, optimizer: int, number: int) -> bool:
    rates = [s.lrs[number] for s in graph.trace.steps if s.optimizer == optimizer and number < len(s.lrs)]
    return len(rates) > 1 and all(r == 0 for r in rates)
