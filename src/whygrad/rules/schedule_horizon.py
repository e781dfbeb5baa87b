"""A schedule is made for many more steps than it will take.

## What it means
``OneCycleLR`` and cosine schedules are told how many times they will be stepped: ``total_steps``, ``T_max``. Given the
number of batches and stepped once an epoch, or given the number of samples (``len(dataset)``) and stepped once a batch,
they only get through the first part of their course: a one-cycle schedule never leaves its warm-up, and a cosine hardly
moves.

## How to recognise it
``scheduler.get_last_lr()`` at the end is still near the first rate.

## Example
```python
scheduler = OneCycleLR(optimizer, max_lr=0.1, total_steps=epochs * len(loader))
for epoch in range(epochs):
    for x, y in loader:
        train_step(x, y)
    scheduler.step()
```

## Use instead
```python
for epoch in range(epochs):
    for x, y in loader:
        train_step(x, y)
        scheduler.step()
```

## Not this rule
A cosine with some room at its end, a run that is cut short on purpose, and a scheduler that steps as often as the
optimizer does, unless its length is just the number of samples.

Reported is a course at least four times as long as the loops. That is arithmetic, not a measurement: after a quarter of its
course a cosine still has 85 % of its first rate, and a one-cycle schedule (``pct_start=0.3``) has not come to its peak.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html
- https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingLR.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct

_TOTALS = {"OneCycleLR": "total_steps", "CosineAnnealingLR": "T_max", "PolynomialLR": "total_iters"}
_FAR = 4.0  #: times as long as the loops: a run cut short by hand is rarely stepped in an outer loop as well
_SAME = 0.02  #: the length is that of the samples, but for a last batch


def check(graph: Graph) -> Iterator[Finding]:
    """Schedulers that are far longer than the loops in which they step."""
    for plan in graph.trace.learning.schedules.all:
        name = _TOTALS.get(plan.kind, "")
        total = plan.options.get(name)
        if not plan.turns or not plan.planned or not isinstance(total, (int, float)):
            continue
        by_samples = abs(total - plan.samples) <= _SAME * plan.samples
        if total < _FAR * plan.planned or not (plan.outer or by_samples):
            continue
        stepped = graph.sites(plan.turns[-1].stack, "schedule", 0)
        sites = [*stepped, *graph.sites(plan.created, "created", 0)]
        held = sorted({p for g in graph.trace.optimizers[plan.optimizer].groups for p in g.params})
        yield Finding(
            rule="schedule-horizon",
            severity="warning",
            title=f"{graph.count(held)}: {plan.kind} is made for {total:g} steps and will take {plan.planned}, "
            + (
                "one for each batch, not each sample" if by_samples else "once for each pass of an outer loop"
            ),
            parameters=graph.names(held),
            link=10,
            causes=distinct(sites[::-1] if by_samples else sites),
            evidence={
                name: total,
                "planned_steps": plan.planned,
                "lr_first": plan.turns[0].before,
                "lr_last": plan.turns[-1].after,
            },
            fix=f"Count batches: len(loader), not len(dataset), in {name}."
            if by_samples
            else f"Step it after every batch, or give {name} in the unit in which it steps.",
        )
