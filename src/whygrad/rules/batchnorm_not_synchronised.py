"""BatchNorm normalises by the few samples of one rank.

## What it means

Under data parallelism each rank's BatchNorm takes mean and variance over that rank's part of the batch. With a few samples
on each rank these numbers are mostly noise: activations are scaled by another factor in every step, and running statistics
fit none of them. The same script on one device with the whole batch would train with far better ones, so that a model gets
worse by being trained on more ranks. It is as bad where the ranks see different kinds of data: each normalises its kind to
the same mean, and the difference between them is gone in training, but not in validation.

## How to recognise it

Training is unstable and the validation much worse than on one device. whygrad counts the elements that a channel's
statistics are taken over, and compares mean and variance between the ranks.

## Example

```python
loader = DataLoader(dataset, batch_size=2, sampler=sampler)        # on each rank
model = DistributedDataParallel(model_with_batchnorm)
```

## Use instead

```python
model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model_with_batchnorm)
model = DistributedDataParallel(model)
```

## Not this rule

SyncBatchNorm; layers in evaluation mode; at least 5 elements a channel on each rank, where the ranks' statistics differ by no
more than chance allows: at most one standard deviation between the means over all calls (root mean square over eight
channels). In 4,000 pairs of ranks with normal numbers of one distribution it stayed below 0.93 with 5 elements and three
calls, below 0.70 with 8, and below 0.33 with 8 and ten calls.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html
- https://arxiv.org/abs/1803.08494
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, compared

ACROSS = True
_FEW = 4  #: elements of a channel on a rank
_APART = 1.0  #: standard deviations between the ranks' means
_CALLS = 3


def check(graph: Graph) -> Iterator[Finding]:
    """Layers whose statistics come of too little, or of data unlike that of the other ranks."""
    across = compared(graph)
    if not across.data_parallel:
        return
    few: list[tuple[t.Channels, ...]] = []
    unlike: list[tuple[float, tuple[t.Channels, ...]]] = []
    for layers in zip(*[d.channels for d in across.facts], strict=False):
        if any(one.calls < _CALLS or not one.positions for one in layers):
            continue
        if max(one.positions for one in layers) <= _FEW:
            few.append(layers)
        elif (far := _distance(layers)) > _APART:
            unlike.append((far, layers))
    if few:
        count = few[0][0].positions
        text = f"takes its statistics over {count} elements a channel on each of {across.world} ranks"
        yield _finding(across, few, text, {"elements": count, "elements_of_all_ranks": count * across.world})
    elif unlike:
        far = max(one for one, _ in unlike)
        text = f"sees other data on each rank: their means are {far:.2g} standard deviations apart"
        yield _finding(across, [layers for _, layers in unlike], text, {"standard_deviations": round(far, 3)})


def _finding(
    across: Across, layers: list[tuple[t.Channels, ...]], text: str, evidence: dict[str, object]
) -> Finding:
    modules = across.traces[0].learning.modules
    first = modules[layers[0][0].module]
    more = f" (and {len(layers) - 1} more)" if len(layers) > 1 else ""
    wrappers = [w.created for w in across.facts[0].wrappers[:1]]
    loaders = [r.loader for r in across.facts[0].readings if r.grad][:1]
    return Finding(
        rule="batchnorm-not-synchronised",
        severity="warning",
        title=f"{first.kind}{more} {text}",
        link=10,
        causes=distinct([
            *across.sites(0, [first.created], "created", 0),
            *across.sites(0, wrappers, "wrapped", 0),
            *across.sites(0, loaders, "batch size", 0),
        ]),
        evidence={**evidence, "layers": len(layers)},
        fix="Convert the model before it is wrapped: torch.nn.SyncBatchNorm.convert_sync_batchnorm(model).",
    )  # fmt: skip


def _distance(layers: tuple[t.Channels, ...]) -> float:
    """Root mean square over the channels of how far the ranks' mean means are apart, in standard deviations."""
    worst = 0.0
    for i, one in enumerate(layers):
        for other in layers[i + 1 :]:
            squares = [
                (a - b) ** 2 / (0.5 * (v + w))
                for a, b, v, w in zip(one.means, other.means, one.variances, other.variances, strict=False)
                if v + w > 0
            ]
            if squares:
                worst = max(worst, math.sqrt(sum(squares) / len(squares)))
    return worst
