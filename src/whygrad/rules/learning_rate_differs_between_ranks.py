"""The ranks step with different learning rates, so that their copies of the model part.

## What it means

Synchronised gradients keep the copies of a model equal only if every rank does the same with them. A scheduler that only
rank 0 steps, one that is told each rank's own validation loss (`ReduceLROnPlateau`), or a learning rate computed from the
rank gives every rank another step: after that there is not one model but several, and the mean of their gradients belongs to
none of them.

## How to recognise it

`optimizer.param_groups[0]["lr"]` differs between the ranks. whygrad compares the rates of every step.

## Example

```python
if rank == 0:
    log(loss)
    scheduler.step()
```

## Use instead

```python
if rank == 0:
    log(loss)
scheduler.step()                         # on every rank
```

For `ReduceLROnPlateau` average the metric first: `dist.all_reduce(metric)`, and divide by the number of ranks.

## Not this rule

Ranks that train independent models (a search over learning rates); rates that differ between parameter groups and not
between ranks.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
- https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, Parting, compared, grouped

ACROSS = True
EXPLAINS = ("parameters-differ-between-ranks", "buffers-drift-apart")


def check(graph: Graph) -> Iterator[Finding]:
    """Copies that part because of the rates of a step."""
    across = compared(graph)
    if not across.complete or across.averaging:
        return
    found = [p for p in grouped(across.partings, "rate") if across.bound(p.key)]
    if not found:
        return
    first = min(found, key=lambda p: p.step)
    rates = _rates(across, first)
    keys = [p.key for p in found]
    yield Finding(
        rule="learning-rate-differs-between-ranks",
        severity="error",
        title=f"{across.count(keys)} are stepped with learning rates of {', '.join(f'{r:.3g}' for r in rates)} on the "
        f"ranks, from step {first.step} on",
        parameters=across.names(keys),
        link=10,
        causes=_causes(across, first)[:3],
        evidence={"first_step": first.step, "learning_rates": rates},
        fix="Compute the learning rate in the same way on every rank: step schedulers on all of them, with the same numbers.",
    )


def _rates(across: Across, first: Parting) -> list[float]:
    rows = [own[first.step][0] for own in across.history(first.key)]
    found = [across.rate(i, across.traces[i].steps[number], first.key) for i, number in enumerate(rows)]
    return [rate for rate in found if rate is not None]


def _causes(across: Across, first: Parting) -> tuple[Site, ...]:
    stepped, set_by_hand, made, schedulers = [], [], [], []
    for rank, trace in enumerate(across.traces):
        number, _ = across.history(first.key)[rank][first.step]
        optimizer = trace.steps[number].optimizer
        until = trace.steps[number].tick
        own = [
            e
            for e in trace.events
            if e.kind == "scheduler-step" and e.optimizer == optimizer and e.tick < until
        ]
        stepped.append(list(dict.fromkeys(e.stack for e in own)))
        set_by_hand.append([e.stack for e in trace.events if e.kind == "rate-set"])
        made.append([trace.optimizers[optimizer].created])
        schedulers.append([s.created for s in trace.learning.schedules.all if s.optimizer == optimizer])
    return distinct([
        *across.on_some(stepped, "scheduler stepped"),
        *across.on_some(made, "optimizer"),
        *across.sites(0, [*stepped[0][:1], *stepped[-1][:1]], "scheduler stepped", 0),
        *across.sites(0, [*set_by_hand[0][:1]], "rate set", 0),
        *across.sites(0, schedulers[0][:1] if stepped[0] else [], "scheduler", 0),
        *across.sites(0, made[0], "optimizer"),
    ])  # fmt: skip
