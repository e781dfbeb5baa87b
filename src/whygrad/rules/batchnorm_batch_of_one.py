"""BatchNorm is trained with one sample at a time.

## What it means

In training mode BatchNorm subtracts the mean of the batch and divides by its deviation. Of a single image these are its
own: its brightness and contrast are removed, and whatever the network could have learned from them. In evaluation mode
the running averages are used, brightness and contrast pass through, and the later layers meet values that they never saw.

## How to recognise it

Predictions in training mode are right, those of the same images in evaluation mode are not.

## Example

```python
loader = DataLoader(train_set, batch_size=1, shuffle=True)
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), ...)
```

## Use instead

A larger batch, or, where the memory allows no more than one, a layer that does not look at the batch:

```python
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.GroupNorm(4, 16), nn.ReLU(), ...)
```

Accumulating gradients over several steps does not help: each pass is normalised by itself.

## Not this rule

A last batch that happens to have one sample; samples that are all alike, so that their own statistics hardly differ
from those of all (by less than 0.2 standard deviations; in 12 trainings each, samples of independent noise with 256
positions differed by 0.05 to 0.08, one series that is given again and again by less than 0.02); InstanceNorm; layers that
keep no running statistics; layers in evaluation mode.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html
- https://arxiv.org/abs/1803.08494
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.modes import held, made, norms, several

_SHARE = 0.9  #: of the calls
_DIFFERENT = 0.2  #: standard deviations between the mean of one sample and that of the next
_CALLS = 3


def check(graph: Graph) -> Iterator[Finding]:
    """BatchNorm in training mode whose calls have one sample, unless each is like all."""
    single = [
        (layer, own)
        for layer, own in norms(graph)
        if "instance" not in layer.kind.lower()
        and own.recorded >= _CALLS
        and own.single >= _SHARE * own.recorded
        and held(graph, layer.params)
    ]
    differ = max((max(own.noise or 0.0, own.spread or 0.0) for _, own in single), default=0.0)
    if differ <= _DIFFERENT:
        return
    layers = [layer for layer, _ in single]
    own = single[0][1]
    yield Finding(
        rule="batchnorm-batch-of-one",
        severity="warning",
        title=f"{several(layers)} normalise{'s' * (len(layers) == 1)} each sample by its own statistics: the batch has "
        f"one ({own.single} of {own.recorded} passes), and samples differ by {differ:.2g} standard deviations",
        parameters=graph.names({p for layer in layers for p in layer.own}),
        link=10,
        causes=distinct([*_batch(graph, layers), *made(graph, layers)])[:3],
        evidence={"passes": own.recorded, "with_one_sample": own.single, "samples_differ_by": differ},
        fix="Use a larger batch, or GroupNorm or InstanceNorm, which do not depend on it; what was learned like this does "
        "not hold in evaluation mode.",
    )


def _batch(graph: Graph, layers: list[t.Layer]) -> tuple[Site, ...]:
    """Where the batch is made: the DataLoader, or the line that makes the tensor with one row."""
    for one in graph.trace.learning.modes.loaders[:1]:
        return (*graph.sites(one.constant, "batch size", 0), *graph.sites(one.created, "batch size", 0))
    numbers = {layer.module for layer in layers} - {-1}
    stacks: Counter[int] = Counter()
    for op in graph.trace.ops:
        if op.module in numbers:
            for value in (graph.trace.values[v] for v in graph.flow.upstream(op.ins)):
                if value.op < 0 and value.param < 0 and value.shape[:1] == (1,) and len(value.shape) > 1:
                    stacks[value.created] += 1
            if sum(stacks.values()) > 20:
                break
    common = stacks.most_common(1)
    return graph.sites(common[0][0], "one sample", 0) if common else ()
