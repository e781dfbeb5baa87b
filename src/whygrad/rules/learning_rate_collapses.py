"""The schedule brings the learning rate down to almost nothing, or round in circles, within a few batches.

## What it means
Most schedulers count their own ``step()`` calls. ``StepLR(step_size=30)``, ``MultiStepLR``, ``ExponentialLR`` and
``CosineAnnealingLR(T_max=epochs)`` are usually given in epochs; called after every batch they run through their whole
course in the first epoch. What follows is trained with a rate of almost nothing, or (cosine) with one that swings.

## How to recognise it
The loss falls quickly at first and then stands still. ``scheduler.get_last_lr()`` is 1e-5 of the first rate after one
epoch.

## Example
```python
for x, y in loader:
    train_step(x, y)
    scheduler.step()
```

## Use instead
```python
for x, y in loader:
    train_step(x, y)
scheduler.step()
```
Or give the scheduler its numbers in batches: ``step_size=30 * len(loader)``.

## Not this rule
``OneCycleLR``, warm-up, cosine over the number of batches, and a training that is over when the rate is low.

## References
- https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
- https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.StepLR.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.scheduling import misled

_FALL = 1e-2  #: of the greatest rate seen, where the schedule runs in an inner loop
_FAR = 1e-4  #: the same where there is one loop only, whose passes may be epochs
_BY_HAND = 1e-3  #: the same where the script sets the rate itself, in loops that are not known
_SHARE = 0.3  #: of the observed steps taken with less than that
_RISE = 3.0  #: times the least rate: a cosine that comes up again
_SWING = 0.1


def check(graph: Graph) -> Iterator[Finding]:
    """Optimizers that took a large part of the observed steps at a fraction of their rate, or whose cosine swings."""
    trace = graph.trace
    misled_ones = {plan.optimizer for plan in misled(graph)}
    for index, optimizer in enumerate(trace.optimizers):
        if index in misled_ones:
            continue  # what the scheduler is told is the cause
        rates = [max(s.lrs) for s in trace.steps if s.optimizer == index and s.lrs and s.lrs[0] == s.lrs[0]]
        moved = [e for e in graph.updates.events.get("scheduler-step", ()) if e.optimizer == index]
        by_hand = [] if moved else list(graph.updates.events.get("rate-set", ()))
        if not (moved or by_hand) or not rates or max(rates) == 0:
            continue
        inner = any(int(e.data.get("loops") or 0) > 1 for e in moved)
        low = _collapsed(rates, _FALL if inner else _FAR if moved else _BY_HAND)
        anew = sum(p.optimizer == index and bool(p.turns) for p in trace.learning.schedules.all) > 1
        swings = inner and not low and not anew and _swings(rates, moved)
        if not low and not swings:
            continue
        held = sorted({p for g in optimizer.groups for p in g.params})
        places = [s for e in moved[-1:] or by_hand for s in graph.sites(e.stack, "schedule", 1)]
        name = f"{moved[-1].data.get('scheduler')}.step()" if moved else "the change of the rate by hand"
        least = min(rates)
        yield Finding(
            rule="learning-rate-collapses",
            severity="error" if low else "warning",
            title=f"{graph.count(held)}: the learning rate falls from {max(rates):.2g} to {least:.2g} "
            + (f"within {len(rates)} steps" if low else "and rises again, every few batches"),
            parameters=graph.names(held),
            link=9,
            causes=distinct([*places, *graph.sites(optimizer.created, "optimizer", 0)]),
            evidence={
                "lr_first": rates[0],
                "lr_last": rates[-1],
                "scheduler_steps": len(moved),
                "steps": len(rates),
            },
            fix=f"{name} runs after every batch here: let it run once an epoch, or give its numbers in batches."
            if inner
            else f"Look at the numbers that {name} works with: they bring the rate down too soon.",
        )


def _collapsed(rates: list[float], fall: float) -> bool:
    """Whether a large part of the steps, the last ones, came after the fall (warm-up comes before the greatest rate)."""
    top = max(rates)
    limit = fall * top * (1 + 1e-9)
    low = sum(r <= limit for r in rates)
    after = sum(r <= limit for r in rates[rates.index(top) :])
    return after >= 2 and rates[-1] <= limit and after == low and low >= _SHARE * len(rates)


def _swings(rates: list[float], moved: list[t.Event]) -> bool:
    """Whether a cosine without restarts has passed its lowest point and gone up again."""
    if moved[-1].data.get("scheduler") != "CosineAnnealingLR":
        return False
    least = min(rates)
    return least <= _SWING * max(rates) and rates[-1] >= max(_RISE * least, _SWING * max(rates))
