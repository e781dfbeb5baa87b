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

In 767 optimizers of 693 healthy scripts the median step changed the weight matrix that moves most by up to 0.35 of its size
in 99 of 100, and by 0.57 at most, so that the size of the steps alone tells nothing. The median of the last three losses
was at most 2 times that of the first three in 99 of 100 scripts; two that start near 0 had 14 and 70 times.
Reported is a loss that is not finite, or over 10 times the first ones in the last three passes, together with a median
step of more than 0.1, or steps that made finite weights infinite. A warning is given for a first loss near that of a guess
that stays over 3 times that in the second half of at least 8 passes, with a median step of more than 0.1.

## References

- https://docs.pytorch.org/docs/stable/optim.html
- https://cs231n.github.io/neural-networks-3/#ratio
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.harm import diverges, guess, matrices, pace, series
from whygrad.graph.overstepping import overstep

SYMPTOM = True
_LONG = 0.1  #: of the weights in the median step
_WORSE = 3.0  #: times the loss of a guess
_PASSES = 8


def check(graph: Graph) -> Iterator[Finding]:
    """A loss that explodes in steps that are a large part of the weights."""
    losses, over = series(graph), overstep(graph)
    explodes = diverges(losses)
    if not explodes and not _stays_worse(graph, losses):
        return
    by_optimizer: dict[int, list[int]] = {}
    for param in matrices(graph) or list(graph.updates.holders):
        by_optimizer.setdefault(graph.updates.holders[param][0][0], []).append(param)
    for index, params in by_optimizer.items():
        own = graph.trace.optimizers[index]
        paces = [p for i in params if (p := pace(graph, i))]
        long = max((statistics.median(p) for p in paces), default=0.0)
        rates = [g.lr for g in own.groups if g.lr]
        stepped_over = over is not None and over.optimizer == index
        if not rates or not (long > _LONG or (explodes and stepped_over)):
            continue
        yield Finding(
            rule="learning-rate-too-high",
            severity="error" if explodes else "warning",
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


def _stays_worse(graph: Graph, losses: list[float]) -> bool:
    """Whether a loss that began at about that of a guess rose, and is far above it to the end."""
    level = guess(graph)
    if level is None or len(losses) < _PASSES or not losses[0] < 2 * level.guess:
        return False
    return min(losses[len(losses) // 2 :]) > _WORSE * max(level.guess, losses[0])
