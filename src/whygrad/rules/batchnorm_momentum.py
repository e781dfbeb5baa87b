"""BatchNorm's momentum is that of another library's convention.

## What it means

In PyTorch `momentum` is the weight of the NEW batch: running = (1 - momentum) * running + momentum * batch, 0.1 by
default. In Keras and others it is the weight of what is kept (0.99 or 0.9 by default). 0.99 taken over makes the running
statistics those of the last batch; the predictions in evaluation mode depend on which batch that was.

## How to recognise it

The validation loss jumps from one evaluation to the next and is worse than the training loss, though little is learned
in between; larger batches make it better.

## Example

```python
nn.BatchNorm2d(64, momentum=0.99)
```

## Use instead

```python
nn.BatchNorm2d(64, momentum=0.01)
```

## Not this rule

A momentum up to 0.5; `momentum=None` (an average over all batches); layers that keep no running statistics; batches so
large, or so much alike, that the last one is as good as any: the running mean or variance would swing by less than 0.1
standard deviations from batch to batch (measured with normal numbers, momentum 0.99 swings by about 0.4 with 8 samples
a batch, 0.2 with 32, 0.09 with 128; the default momentum by 0.1 with 8).

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html
- https://keras.io/api/layers/normalization_layers/batch_normalization/
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.modes import held, made, norms, several

_MOMENTUM = 0.5
_SWING = 0.1


def check(graph: Graph) -> Iterator[Finding]:
    """Layers in training whose running statistics are little more than those of the last batch, and swing with it."""
    found = [
        (layer, own)
        for layer, own in norms(graph)
        if own.momentum is not None
        and own.momentum > _MOMENTUM
        and own.recorded
        and held(graph, layer.params)
    ]
    swing = max((_swing(own) for _, own in found), default=0.0)
    if swing <= _SWING:
        return
    layers = [layer for layer, _ in found]
    own = found[0][1]
    changed = [site for _, one in found for site in graph.sites(one.changed, "momentum", 0)]
    yield Finding(
        rule="batchnorm-momentum",
        severity="warning",
        title=f"{several(layers)}: momentum {own.momentum:g} gives the last batch a weight of {own.momentum:.0%}, the "
        f"running statistics swing by {swing:.2g} standard deviations from batch to batch",
        parameters=graph.names({p for layer in layers for p in layer.own}),
        link=10,
        causes=distinct([*changed, *made(graph, layers, "momentum")])[:3],
        evidence={"momentum": own.momentum, "swing": swing, "batches_differ_by": own.noise},
        fix=f"In PyTorch momentum is the weight of the new batch: use momentum={1 - own.momentum:.2g}."
        if own.momentum is not None and own.momentum < 1
        else "In PyTorch momentum is the weight of the new batch: leave it at its default of 0.1.",
    )


def _swing(own: t.Statistics) -> float:
    """Standard deviation of an exponential average of batches that differ so much."""
    weight = own.momentum or 0.0
    return max(own.noise or 0.0, own.spread or 0.0) * math.sqrt(weight / (2 - weight))
