"""The numbers that enter the model are far from unit scale, and the first steps break it.

## What it means

Layers are initialised for inputs of about unit size. Pixels from 0 to 255, prices, years or milliseconds make the first
activations and the gradients of the first weights hundreds of times larger: the first steps throw the weights so far
that ReLUs are off for every sample, sigmoids saturate, or the loss explodes.

## How to recognise it

``x.min(), x.max(), x.std()`` of a batch; a first loss many times that of a guess (``log(classes)``); a loss that becomes
NaN, or stands still at that of a guess.

## Example

```python
x = images.float().flatten(1)                   # 0 .. 255
```

## Use instead

```python
x = (images.float().flatten(1) / 255 - 0.5) / 0.25
x = (features - mean) / std                     # mean and std of the training data, for each feature
```

## Not this rule

Large numbers that a BatchNorm or LayerNorm meets first; indices for an embedding; large features with which the training
goes well, as it often does under Adam. The scale alone is never reported: only where the loss diverges, or units die in
the observed steps, or the first loss is over 4 times that of a guess, rises to 3 times that, and does not come
below the guess, or stays over 10 times that of a guess in at least 8 passes under a feature beyond 100.

In 653 healthy scripts the root mean square of the widest feature that enters a layer was at most 2.3 in 19 of 20 places, and
5.5 in 99 of 100; looked at are inputs with a feature beyond 10. The first loss was at most 3.3 times that of a guess in 19
of 20 of 462 healthy scripts, and 17 times in 99 of 100 (a regression may start far off, and comes down).

## References

- https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.Normalize.html
- https://cs231n.github.io/neural-networks-2/#datapre
- https://en.wikipedia.org/wiki/Feature_scaling
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.scales import Harm, harmed

EXPLAINS = ("loss-starts-far-off",)


def check(graph: Graph) -> Iterator[Finding]:
    """The first place where data far from unit scale meets a parameter, if the training suffered."""
    found = harmed(graph)
    if found is None:
        return
    own = found.entrance
    params = sorted({graph.trace.values[v].param for v in graph.trace.ops[own.op].ins} - {-1})
    kind = "integers" if own.whole else "numbers"
    yield Finding(
        rule="inputs-not-normalised",
        severity="error" if found.sure else "warning",
        title=f"{kind} from {own.low:.4g} to {own.high:.4g} enter {graph.label(own.op)} as they are: {found.words}",
        parameters=graph.names([*params, *_trained(graph)]),
        link=10,
        causes=_places(graph, found),
        evidence={"low": own.low, "high": own.high, "mean": own.mean, "rms": own.rms},
        fix="Bring each feature to mean 0 and deviation 1 before the first layer (pixels: divide by 255, subtract the mean, "
        "divide by the deviation), with numbers taken from the training data.",
    )


def _trained(graph: Graph) -> list[int]:
    return [i for i in graph.updates.holders if graph.trace.params[i].named]


def _places(graph: Graph, found: Harm) -> tuple[Site, ...]:
    """Where these numbers were made, where they came from last, and the layer that they enter."""
    own = found.entrance
    op = graph.trace.ops[own.op]
    data = [graph.trace.values[v] for v in op.ins if graph.trace.values[v].param < 0]
    made = [s for stack in own.made[:2] for s in graph.sites(stack, "made", 0)]
    came = [
        s
        for value in data[:1]
        for stack in (*value.imports[:1], value.created)
        for s in graph.sites(stack, "data", 0)
    ]
    return distinct([*made, *came[: 1 if made else 2], *graph.op_sites(own.op, "entered", 0)])[:4]
