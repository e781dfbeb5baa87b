"""The warm-up, or the whole schedule, begins again in every epoch and never gets anywhere.

## What it means
A scheduler counts its own steps. Made again in every epoch (in a function that trains one epoch, say), it starts from
its first rate each time: a warm-up never ends, a decay never happens. A warm-up by hand that counts the batches of the
epoch, and not all steps, does the same.

## How to recognise it
The learning rate shows the same sequence in every epoch.

## Example
```python
for epoch in range(epochs):
    scheduler = LambdaLR(optimizer, warm_up)
    for x, y in loader:
        train_step(x, y)
        scheduler.step()
```

## Use instead
```python
scheduler = LambdaLR(optimizer, warm_up)
for epoch in range(epochs):
    for x, y in loader:
        train_step(x, y)
        scheduler.step()
```

## Not this rule
A cycle that is run to its end before the next one is made (restarts on purpose), a new scheduler for a new optimizer.
Reported are four or more schedulers of one optimizer from one line, each of which began with the same rate and none of
which came to its end: two or three may be stages of a training. Of rates that are set in another way those are reported
that rose three times from the same rate by at least half, step for step alike, and fell back at once; cycles that
fall slowly and jump up, or go up and down, are not. Rates that rise are followed for 400 steps at most.

## References
- https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct

_TIMES = 3  #: schedulers from one place, each with the same rates, before it counts as a habit
_TOTALS = ("T_max", "total_steps", "total_iters", "T_0")


def check(graph: Graph) -> Iterator[Finding]:
    """Schedulers that are made in the training loop, and rates that are set so that they rise again and again."""
    told = set()
    for finding, optimizer in _made_anew(graph):
        told.add(optimizer)
        yield finding
    for teeth in graph.trace.learning.sawteeth:
        if teeth.count >= _TIMES and teeth.optimizer not in told:
            yield _restarted(graph, teeth)


def _restarted(graph: Graph, teeth: t.Sawtooth) -> Finding:
    held = sorted({p for g in graph.trace.optimizers[teeth.optimizer].groups for p in g.params})
    plans = [p for p in graph.trace.learning.schedules.all if p.optimizer == teeth.optimizer and p.turns]
    stacks = [p.turns[-1].stack for p in plans] or [e.stack for e in graph.updates.events.get("rate-set", ())]
    created = [p.created for p in plans] or [graph.trace.optimizers[teeth.optimizer].created]
    return Finding(
        rule="warm-up-restarted",
        severity="warning",
        title=f"{graph.count(held)}: the learning rate rises from {teeth.low:.2g} to {teeth.high:.2g} in "
        f"{teeth.length} steps, falls back and rises again ({teeth.count} times seen)",
        parameters=graph.names(held),
        link=10,
        causes=distinct(
            [
                *(s for stack in stacks for s in graph.sites(stack, "schedule", 1)),
                *(s for stack in created for s in graph.sites(stack, "created", 0)),
            ]
        )[:3],
        evidence={
            "times": teeth.count,
            "steps_each": teeth.length,
            "lr_first": teeth.low,
            "lr_last": teeth.high,
        },
        fix="Count all steps, not the batches of the epoch, in what sets the learning rate.",
    )


def _made_anew(graph: Graph) -> Iterator[tuple[Finding, int]]:
    """Places in the training loop that make schedulers of one optimizer, none of which gets to its end."""
    places: dict[tuple[int, int], list[t.Schedule]] = {}
    for plan in graph.trace.learning.schedules.all:
        if plan.again and plan.turns and plan.kind != "ReduceLROnPlateau":
            places.setdefault((plan.created, plan.optimizer), []).append(plan)
    for (created, optimizer), plans in places.items():
        whole = plans[:-1]  # the last one may still be under way
        starts = {plan.turns[0].before for plan in plans}
        moved = any(turn.after != turn.before for plan in plans for turn in plan.turns)
        if len(whole) < _TIMES or len(starts) > 1 or not moved or any(_finished(plan) for plan in whole):
            continue
        held = sorted({p for g in graph.trace.optimizers[optimizer].groups for p in g.params})
        reached = whole[0].turns[-1].after
        finding = Finding(
            rule="warm-up-restarted",
            severity="warning",
            title=f"{graph.count(held)}: {plans[0].kind} is made anew in the loop ({len(plans)} times seen): each time "
            f"the learning rate goes from {whole[0].turns[0].before:.2g} to {reached:.2g} and back",
            parameters=graph.names(held),
            link=10,
            causes=distinct([*graph.sites(created, "created", 1)]),
            evidence={
                "made": len(plans),
                "steps_each": len(whole[0].turns),
                "lr_first": whole[0].turns[0].before,
                "lr_last": reached,
            },
            fix="Make the scheduler once, before the loop.",
        )
        yield finding, optimizer


def _finished(plan: t.Schedule) -> bool:
    """Whether a schedule came to the end of its course, or its rate had stopped changing."""
    totals = [v for n in _TOTALS if isinstance(v := plan.options.get(n), (int, float))]
    done = any(len(plan.turns) >= total - 1 for total in totals)
    return done or (len(plan.turns) > 1 and plan.turns[-1].after == plan.turns[-1].before)
