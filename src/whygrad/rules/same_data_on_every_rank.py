"""Every rank trains on the very same batches.

## What it means

Data-parallel training is worth its cost because each rank works through another part of the data. Where nothing shares the
data out, and the same seed is set on every rank, all ranks compute the same gradient, and the mean of equal gradients is
that gradient: four machines do the work of one, an epoch is no shorter, and the learning rate was chosen for a batch that
is not there.

## How to recognise it

The loss printed on each rank is the same to the last digit. whygrad compares checksums of the rows that met the model, pass
by pass.

## Example

```python
torch.manual_seed(0)
loader = DataLoader(dataset, batch_size=32, shuffle=True)
model = DistributedDataParallel(model)
```

## Use instead

```python
sampler = DistributedSampler(dataset)
loader = DataLoader(dataset, batch_size=32, sampler=sampler)
for epoch in range(epochs):
    sampler.set_epoch(epoch)
```

An `IterableDataset` must leave out the other ranks' items by itself: `islice(items, rank, None, world_size)`.

## Not this rule

Tensor parallelism, where all ranks of a group need the same batch. Ranks that shuffle all of the data each in its own order:
an epoch is longer than it need be, but the batches differ. Samplers that share out the data wrongly: see `shards-overlap`.

## References

- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, compared
from whygrad.graph.shares import Same, first_passes, same_batches

ACROSS = True
EXPLAINS = ("same-noise-on-every-rank", "sampler-epoch-not-set")


def check(graph: Graph) -> Iterator[Finding]:
    """Inputs whose checksums agree in every pass."""
    across = compared(graph)
    if not across.data_parallel:
        return
    same = same_batches(across)
    readings = first_passes(across)
    if any(r.sampler is not None for r in readings or ()):
        return
    if same is None:
        yield from _sampler_forgotten(across, readings or [])
        return
    what = "the same batch" if same.again else "the same batches"
    yield Finding(
        rule="same-data-on-every-rank",
        severity="warning" if same.again else "error",
        title=f"All {across.world} ranks train on {what}: {same.rows} rows, in {same.passes} of {same.passes} passes",
        link=10,
        causes=_causes(across, same)[:3],
        evidence={"passes": same.passes, "rows": same.rows, "ranks": across.world},
        fix="Give the DataLoader a DistributedSampler, and call its set_epoch(epoch) at the start of each epoch."
        if readings
        else "Let each rank take its own share of the data (data[rank::world_size]), or draw it with a seed of its own.",
    )


def _sampler_forgotten(across: Across, readings: list[t.Reading]) -> Iterator[Finding]:
    """A sampler was made for the data that every rank goes through as a whole."""
    idle = {rows: stack for stack, rows in across.facts[0].idle_samplers}
    first = next((r for r in readings if r.rows in idle), None)
    if first is None or len({r.rows for r in readings}) > 1:
        return
    yield Finding(
        rule="same-data-on-every-rank",
        severity="warning",
        title=f"Every rank goes through all {first.rows} items: the sampler that was made to share them out is not given "
        "to the loader",
        link=10,
        causes=distinct([
            *across.sites(0, [first.loader], "loader without the sampler", 0),
            *across.sites(0, [idle[first.rows]], "sampler", 0),
        ]),
        evidence={"items": first.rows, "batches": first.length, "ranks": across.world},
        fix="Pass the sampler to the DataLoader: DataLoader(dataset, sampler=sampler), without shuffle=True.",
    )  # fmt: skip


def _causes(across: Across, same: Same) -> tuple[Site, ...]:
    """What gave the data: the loader and its dataset, or the line where a batch was drawn; then equal seeds."""
    readings = first_passes(across)
    trace = across.traces[0]
    seeds = [
        r.stack for r in trace.learning.chance.reseeds if r.tick <= trace.backwards[0].tick and not r.backward
    ]
    found: list[Site] = []
    if readings:
        found += across.sites(0, [readings[0].loader], "nothing shares out the data", 0)
        iterable = [x for x in trace.learning.data.loaders if x.created == readings[0].loader and x.iterable]
        items = [s for x in iterable for s in x.items]
        found += across.sites(0, items[:1], "items", 0)
        found += across.sites(0, [readings[0].stack], "read here", 0)
    else:
        found += across.sites(0, [same.fed.created], "the same on every rank", 0)
        found += across.sites(0, seeds[-1:], "same seed", 0)
        found += across.sites(0, [same.fed.stack], "used here")
    return distinct(found)
