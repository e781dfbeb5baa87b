"""The learning rate is 0 at every step.

## What it means
Every step multiplies its update by 0: a rate of 0 in the configuration or for one parameter group, an integer division, a
warm-up factor that never leaves 0. Gradients are computed and thrown away.

## How to recognise it
``[group["lr"] for group in optimizer.param_groups]`` shows 0.0 step after step.

## Example
```python
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, step // 1000))
```

## Use instead
```python
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 1000))
```

## Not this rule
The first step of a warm-up, or the last one of a schedule.

## References
- https://docs.pytorch.org/docs/stable/optim.html#per-parameter-options
- https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LambdaLR.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameter groups whose rate was exactly 0 whenever they were stepped (more than once)."""
    trace = graph.trace
    still = [i for i in graph.sick(9) if graph.updates.rows.get(i) and not graph.updates.overwritten(i)]
    zero = [
        (key, i) for i in still for key in graph.updates.holders.get(i, ())[:1] if _always_zero(graph, *key)
    ]
    for key, indices in group(zero):
        optimizer = trace.optimizers[key[0]]
        moved = [e for e in graph.updates.events.get("scheduler-step", ()) if e.optimizer == key[0]]
        places = list(graph.sites(optimizer.created, "optimizer", 1))
        if moved:
            places += graph.sites(moved[0].stack, "schedule", 1)
        else:
            places += [
                s for e in graph.updates.events.get("rate-set", ()) for s in graph.sites(e.stack, "set", 0)
            ]
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
