"""The steps are so short that the weights would need millions of them to move.

## What it means

A step that goes well changes a weight matrix by about a thousandth of its size (1e-4 to 1e-2). Where it is a
ten-millionth, ten million steps are needed to go as far as the weight is long: the loss stands still, although gradients,
optimizer and weights are all in order.

## How to recognise it

The loss is the same to four digits after hundreds of steps. The ratio of update to weight is below 1e-6 for all weight
matrices, at every step.

## Example

```python
optimizer = torch.optim.SGD(model.parameters(), lr=1e-8)
```

## Use instead

```python
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
```

## Not this rule

Warm-up (the rate is rising), fine-tuning of loaded weights, a loss that is nearly 0, weights that are overwritten. Where
the rate is 0 it is `learning-rate-zero`, where a schedule brings it down `learning-rate-collapses`. It is a symptom: where
another rule names what makes the gradients small, this one is silent.

In 729 optimizers of 666 healthy scripts the randomly initialised weight matrix that moves most was changed by 1e-3 or more
of its size by the median step in 99 of 100; the least was 4e-6, in a warm-up. Reported are less than 5e-7, for all weight
matrices of an optimizer whose rate is 1e-4 or less.

## References

- https://docs.pytorch.org/docs/stable/optim.html
- https://cs231n.github.io/neural-networks-3/#ratio
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.harm import matrices, pace, series

SYMPTOM = True
_SHORT = 5e-7  #: of the weights in the median step
_STEPS = 4
_RATE = 1e-4  #: with a higher one it is the gradient that is small
_SAME = 0.02  #: of the first loss: by more it has moved


def check(graph: Graph) -> Iterator[Finding]:
    """Optimizers that move none of their randomly initialised weights by anything to speak of."""
    for index, own in enumerate(graph.trace.optimizers):
        params = [
            i for i in matrices(graph) if graph.updates.holders[i][0][0] == index and graph.at_random(i)
        ]
        paces = {i: statistics.median(p) for i in params if len(p := pace(graph, i)) >= _STEPS}
        rates = [max(s.lrs) for s in graph.trace.steps if s.optimizer == index and s.lrs]
        if not paces or not 0 < max(paces.values()) < _SHORT or not rates or not _low(rates):
            continue
        good = [i for i in paces if graph.updates.trained(i)]
        if not good or not _still(series(graph)):
            continue
        fastest = max(paces.values())
        yield Finding(
            rule="learning-rate-too-low",
            severity="warning",
            title=f"{graph.count(good)} hardly move: a step of {own.kind} with lr={max(rates):g} changes them by {fastest:.1g} of "
            f"their size at most, {1 / fastest:.1g} steps for all of it",
            parameters=graph.names(good),
            link=10,
            causes=distinct(graph.sites(own.created, "optimizer", 1)),
            evidence={"lr": max(rates), "update_over_weight": fastest, "steps_to_move": 1 / fastest},
            fix=f"Raise the learning rate: 1e-3 is a usual start for Adam, 1e-2 to 1e-1 for SGD (here {max(rates):g}).",
        )


def _low(rates: list[float]) -> bool:
    """Whether the rate is low itself (not the gradient), and does not rise."""
    return 0 < min(rates) <= max(rates) <= min(rates[0], _RATE)


def _still(losses: list[float]) -> bool:
    """Whether the loss neither is 0 nor has moved beyond what batches differ by."""
    if len(losses) < _STEPS or losses[0] == 0:
        return False
    half = len(losses) // 2
    early, late = statistics.fmean(losses[:half]), statistics.fmean(losses[half:])
    spread = max(losses) - min(losses)
    return abs(early - late) <= max(_SAME * abs(early), 0.5 * spread)
