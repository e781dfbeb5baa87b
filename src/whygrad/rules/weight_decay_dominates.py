"""Weight decay pulls harder than the loss: all weight matrices shrink, whatever the data say.

## What it means

With ``weight_decay=d`` SGD, Adam and RMSprop add ``d * w`` to the gradient; AdamW takes ``lr * d * w`` off the weight
itself. Where this is larger than what comes from the loss, in every step and for every weight matrix, the weights go to
zero and the model ends with one answer for every input (the frequencies of the classes, the mean of the targets): only
the last bias still learns.

## How to recognise it

The norms of all weight matrices fall from step to step, by an even share (SGD, AdamW) or an even amount (Adam,
RMSprop). The outputs become the same for all inputs.

## Example

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.5)
```

## Use instead

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
```

Usual numbers are 1e-5 to 1e-3 where it is added to the gradient and 0.01 to 0.1 for AdamW.

## Not this rule

Decay beside a gradient that has become small since all is learned: it takes thousands of steps there to be felt.
Weights that began far too large and that the loss itself brings down.

In 66 of 67 healthy trainings decay was at most 0.08 of the gradient in the median weight matrix of a model, and at most 0.45
of the way that the weights went led to zero; the last one has learned all, so that its gradient is as small as the decay (1.6
and 0.99), but would need thousands of steps to get anywhere. In the faulty scripts of the tests decay is 3.6 times the
gradient or more, and 0.79 to 0.99 of the way leads to zero. Reported is an excess of more than 1.5 in the median matrix, with all of them
shrinking, where the last pace leads to a third of the weights in 500 steps (a warning up to 2000); and matrices with most
of the model's weights that have gone straight to less than half within the window.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
- https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html
- https://arxiv.org/abs/1711.05101
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.shrinking import Shrinking, crushed, shrinking

_EXCESS = 1.5  #: of the decay over the gradient, in the median weight matrix
_MOSTLY = 0.8  #: of the way, and of the elements of all matrices
_SOON = 500  #: steps to a third of the weights


def check(graph: Graph) -> Iterator[Finding]:
    """Optimizers whose decay exceeds the gradient of every weight matrix, all of which shrink."""
    for index, optimizer in enumerate(graph.trace.optimizers):
        groups = [g for g in optimizer.groups if g.options.get("weight_decay", 0.0) > 0]
        own = [s for g in groups for s in shrinking(graph, index, g)]
        halved = _halved(graph, own)
        if not own or not (crushed(own) or halved):
            continue
        total = len(own)
        own = own if crushed(own) else halved
        steps = statistics.median([s.steps for s in own])
        decay = max(g.options["weight_decay"] for g in groups)
        excess = statistics.median([s.excess for s in own])
        most = max(own, key=lambda s: s.first)
        yield Finding(
            rule="weight-decay-dominates",
            severity="error" if steps < _SOON else "warning",
            title=f"weight_decay={decay:g} of {optimizer.kind} pulls {_times(excess)} as hard as the gradient: "
            f"{'all ' if len(own) == total else ''}{len(own)} {f'of {total} ' if len(own) < total else ''}weight matrices "
            "shrink towards zero",
            parameters=graph.names(s.param for s in own),
            link=10,
            causes=graph.sites(optimizer.created, "optimizer", 1),
            evidence={
                "weight_decay": decay,
                "decay_over_gradient": excess,
                "norm_first": most.first,
                "norm_last": most.last,
                "steps_to_a_third": steps,
            },
            fix=f"Give {optimizer.kind} a smaller weight_decay: usual are 1e-5 to 1e-3 where it is added to the gradient, "
            "0.01 to 0.1 for AdamW.",
        )


def _halved(graph: Graph, own: list[Shrinking]) -> list[Shrinking]:
    """The matrices that went straight to less than half within the window, if they are most of the model: the last layer
    may keep a gradient that holds it up."""
    sizes = {s.param: math.prod(graph.trace.params[s.param].shape) for s in own}
    found = [s for s in own if s.last < 0.5 * s.first and s.straight > _MOSTLY and s.excess > _EXCESS]
    return found if sum(sizes[s.param] for s in found) > _MOSTLY * sum(sizes.values()) else []


def _times(excess: float) -> str:
    return f"{excess:.2g} times" if excess < 1000 else "over 1000 times"
