"""The loss explodes, and each step changes the weights by a large part of their size.

## What it means

A step goes in the direction in which the loss falls, but only near the present weights. If it is too long it lands
higher than it began, the next gradient is larger still, and within a few steps everything is infinite or NaN. A step
that goes well changes a weight matrix by about a thousandth of its size.

## How to recognise it

The loss rises to many times its first value, or becomes NaN after some steps. The ratio of update to weight
(``(p_after - p_before).norm() / p_before.norm()``) is far above 1e-2 in every step.

## Example

```python
optimizer = torch.optim.SGD(model.parameters(), lr=10.0, momentum=0.9)
```

## Use instead

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)     # where single batches give huge gradients
```

## Not this rule

Losses that start small and rise for a while (adversarial, reinforcement learning, flows), a first step from small
weights. It is a symptom: where another rule names what made the steps too long (inputs, a missing mean, gradients never
cleared), this one is silent.

In the healthy trainings of this project the median step changes the weight matrix that moves most by up to 0.3 (0.74 in one
toy), so that the size of the steps alone tells nothing; the median of the last losses is at most 1.8 times the first ones.
Reported is a loss that is not finite, or over 10 times the first ones in the last three passes, together with a median
step of more than 0.1, or steps that made finite weights infinite.

## References

- https://docs.pytorch.org/docs/stable/optim.html
- https://cs231n.github.io/neural-networks-3/#ratio
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.harm import diverges, matrices, pace, series
from whygrad.graph.overstepping import overstep

SYMPTOM = True
_LONG = 0.1  #: of the weights in the median step


def check(graph: Graph) -> Iterator[Finding]:
    """A loss that explodes in steps that are a large part of the weights."""
    losses, over = series(graph), overstep(graph)
    if not diverges(losses):
        return
    by_optimizer: dict[int, list[int]] = {}
    for param in matrices(graph) or list(graph.updates.holders):
        by_optimizer.setdefault(graph.updates.holders[param][0][0], []).append(param)
    for index, params in by_optimizer.items():
        own = graph.trace.optimizers[index]
        paces = [p for i in params if (p := pace(graph, i))]
        long = max((statistics.median(p) for p in paces), default=0.0)
        rates = [g.lr for g in own.groups if g.lr]
        if not rates or not (long > _LONG or (over is not None and over.optimizer == index)):
            continue
        yield Finding(
            rule="learning-rate-too-high",
            severity="error",
            title=f"the loss goes from {losses[0]:.3g} to {losses[-1]:.3g} in {len(losses)} passes: a step of {own.kind} with "
            f"lr={max(rates):g} changes weights by {long:.2g} of their size",
            parameters=graph.names(params),
            link=10,
            causes=distinct(graph.sites(own.created, "optimizer", 1)),
            evidence={
                "loss_first": losses[0],
                "loss_last": str(losses[-1]),
                "lr": max(rates),
                "update_over_weight": long,
            },
            fix=f"Try a learning rate of {max(rates) * 0.01 / max(long, 0.1):.1g}; clip the gradients where single batches "
            "throw the weights away.",
        )
