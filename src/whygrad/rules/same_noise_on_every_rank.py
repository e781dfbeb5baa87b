"""Dropout masks, or other noise, are the same on every rank.

## What it means

Each rank draws dropout masks, augmentations and noise from its own generator. Where the same seed is set on all ranks, all
of them draw the same numbers at the same step: the first sample of every rank loses the same units, and is flipped, cropped
or noised in the same way. The noise of the mean gradient then does not fall with the number of ranks, as that of independent
draws does: with 8 ranks one mask stands where 8 were meant.

## How to recognise it

`torch.rand(1)` on every rank, in the training loop, prints the same number. whygrad compares checksums of the generator's
state after each draw that comes again in every pass.

## Example

```python
torch.manual_seed(0)                     # on every rank
model = DistributedDataParallel(Net())
```

## Use instead

```python
torch.manual_seed(0)                     # the same weights and the same split of the data
model = DistributedDataParallel(Net())
torch.manual_seed(1000 + rank)           # other dropout masks and augmentations on each rank
```

## Not this rule

Draws of a few numbers (a decision that ranks may have to share), from a generator that the call names, or that choose rows;
tensor parallelism, whose ranks must drop the same units; ranks that train on the same data throughout.

## References

- https://docs.pytorch.org/docs/stable/notes/randomness.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.across import compared
from whygrad.graph.chances import same_noise
from whygrad.graph.shares import same_batches

ACROSS = True


def check(graph: Graph) -> Iterator[Finding]:
    """Places that draw, pass after pass, in the same state on all ranks, for data that differ."""
    across = compared(graph)
    if not across.data_parallel or same_batches(across) is not None:
        return
    noise = same_noise(across)
    if not noise:
        return
    seeds = [r.stack for r in across.traces[0].learning.chance.reseeds]
    drawn = across.sites(0, [one.stack for one in noise[:1]], "drawn here", 0)
    names = ", ".join(dict.fromkeys(one.name for one in noise))
    yield Finding(
        rule="same-noise-on-every-rank",
        severity="warning",
        title=f"{names}: the same numbers are drawn on all {across.world} ranks, in {noise[0].passes} of "
        f"{noise[0].passes} passes",
        link=10,
        causes=distinct([*across.sites(0, seeds[-1:], "same seed", 0), *drawn])[:3],
        evidence={"passes": noise[0].passes, "places": len(noise), "ranks": across.world},
        fix="After the model is built and the data are split, set a seed that depends on the rank: "
        "torch.manual_seed(seed + rank).",
    )
