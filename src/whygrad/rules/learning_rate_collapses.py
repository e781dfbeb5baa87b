"""The schedule brings the learning rate down to almost nothing within the first steps."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct

_FALL = 1e-2  #: of the greatest rate seen
_SHARE = 0.3  #: of the observed steps taken with less than that


def check(graph: Graph) -> Iterator[Finding]:
    """Optimizers that took a large part of the observed steps at less than a hundredth of their rate."""
    trace = graph.trace
    for index, optimizer in enumerate(trace.optimizers):
        rates = [max(s.lrs) for s in trace.steps if s.optimizer == index and s.lrs and s.lrs[0] == s.lrs[0]]
        top = max(rates, default=0.0)
        moved = [e for e in graph.updates.events.get("scheduler-step", ()) if e.optimizer == index]
        low = [r for r in rates if r <= _FALL * top * (1 + 1e-9)]
        peak = rates.index(top) if rates else 0
        after = [r for r in rates[peak:] if r <= _FALL * top * (1 + 1e-9)]
        if not moved or top == 0 or len(after) < 2 or len(low) < _SHARE * len(rates) or len(after) < len(low):
            continue
        held = sorted({p for g in optimizer.groups for p in g.params})
        often = len(moved) >= 0.8 * len(rates)
        name = moved[-1].data.get("scheduler")
        yield Finding(
            rule="learning-rate-collapses",
            severity="error",
            title=f"{graph.count(held)}: the learning rate falls from {top:.2g} to {rates[-1]:.2g} within {len(rates)} steps",
            parameters=graph.names(held),
            link=9,
            causes=distinct(
                [
                    *graph.sites(moved[-1].stack, "schedule", 1),
                    *graph.sites(optimizer.created, "optimizer", 0),
                ]
            ),
            evidence={
                "lr_first": rates[0],
                "lr_last": rates[-1],
                "scheduler_steps": len(moved),
                "steps": len(rates),
            },
            fix=f"{name}.step() runs after every batch here; call it once an epoch, or give the scheduler its numbers in batches."
            if often
            else f"Look at the arguments of {name}: they bring the rate down too soon.",
        )
