"""The ranks' shares of the data overlap: some samples are read twice, others never.

## What it means

DistributedSampler gives rank r every world-th element of one shuffled list. That is a partition only if every rank shuffles
the same list, takes another r, and counts the same number of ranks. With a seed that depends on the rank, each shuffles a
list of its own; with two ranks a quarter of the samples is then read twice in an epoch, and a quarter not at all. The same
comes of `rank` or `num_replicas` given wrongly, of `random_split` or `torch.randperm` with different random states, of files
listed in another order on each machine.

## How to recognise it

The indices of all ranks in one epoch, put together, hold duplicates. whygrad compares the indices that the loaders asked
for, checksums of the rows that met the model, and the samplers' settings.

## Example

```python
sampler = DistributedSampler(dataset, seed=args.seed + rank)
```

## Use instead

```python
sampler = DistributedSampler(dataset, seed=args.seed)   # the same on every rank
```

Split before that with a generator whose seed all ranks share: `random_split(data, sizes, torch.Generator().manual_seed(0))`.

## Not this rule

The few samples that a sampler repeats to give every rank the same number. Ranks that draw at random from all of the data,
without sharing it out; data sets that hold equal rows. Two percent of a share in common are allowed.

## References

- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
- https://github.com/NVlabs/LongLive/issues/71
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, compared
from whygrad.graph.chances import reseeded_apart
from whygrad.graph.shares import first_passes, overlap, overlaps

ACROSS = True
EXPLAINS = (
    "same-data-on-every-rank",
    "sampler-epoch-not-set",
    "same-noise-on-every-rank",
    "ranks-out-of-step",
)


def check(graph: Graph) -> Iterator[Finding]:
    """Samplers whose settings do not fit each other, and shares with rows in common."""
    across = compared(graph)
    if not across.complete or any(d.tensor_parallel for d in across.facts):
        return
    readings = first_passes(across)
    samplers = [r.sampler for r in readings or () if r.sampler is not None]
    sampled = len(samplers) == len(across.facts) and _for_all(samplers, across.world)
    wrong = _settings(samplers, across) if sampled else ""
    common = overlap(across)
    shared = sampled or all(d.said.shares for d in across.facts)
    if not shared or not (wrong or overlaps(common)):
        return
    said = f"{common.common} of {common.seen} samples of one rank are also read by another" if common else ""
    if wrong:
        title = f"{samplers[0].kind} does not share out the data: {wrong}"
        title += f"; {said}" if common is not None and overlaps(common) else ""
    else:
        title = f"The ranks' shares of the data overlap: {said}"
    yield Finding(
        rule="shards-overlap",
        severity="error" if overlaps(common) else "warning",
        title=title,
        link=10,
        causes=_causes(across, bool(wrong)),
        evidence=_evidence(across, samplers, common),
        fix="Give DistributedSampler the same seed and data set on every rank, its own rank, and the number of ranks."
        if sampled
        else "Shuffle with the same seed on every rank before each takes its share.",
    )


def _for_all(samplers: Sequence[t.Sampler], world: int) -> bool:
    """Whether the samplers are there for the ranks of this training, rather than for those of a smaller group."""
    return all(s.replicas == world for s in samplers) or len({s.replicas for s in samplers}) == 1


def _settings(samplers: Sequence[t.Sampler], across: Across) -> str:
    """What does not fit, as a phrase."""
    ranks = [s.rank for s in samplers]
    if samplers[0].replicas == 1 or len(set(ranks)) < len(ranks):
        if any(s.replicas != across.world for s in samplers):
            return f"num_replicas is {samplers[0].replicas} for {across.world} ranks"
        return f"its rank is {', '.join(map(str, ranks))} on rank {', '.join(map(str, across.numbers(range(len(ranks)))))}"
    if len({s.seed for s in samplers if s.shuffle}) > 1:
        return f"its seed is {', '.join(str(s.seed) for s in samplers)} on the ranks"
    if len({s.epoch for s in samplers if s.shuffle}) > 1:
        return f"its epoch is {', '.join(str(s.epoch) for s in samplers)} on the ranks"
    if len({s.rows for s in samplers}) > 1:
        return f"its data set has {', '.join(str(s.rows) for s in samplers)} items on the ranks"
    return ""


def _causes(across: Across, settings: bool) -> tuple[Site, ...]:
    readings = first_passes(across) or []
    made = [r.sampler.made for r in readings[:1] if r.sampler is not None]
    sampler = across.sites(0, made, "sampler", 1)
    if settings:
        return distinct([*sampler, *across.sites(0, [r.loader for r in readings[:1]], "loader", 0)])[:3]
    shares = across.sites(0, across.facts[0].said.shares[:1], "share", 0)
    drawn = reseeded_apart(across)
    return distinct([*drawn[:2], *shares, *sampler])[:3]


def _evidence(across: Across, samplers: Sequence[t.Sampler], common: object) -> dict[str, object]:
    found: dict[str, object] = {}
    if samplers:
        found = {
            "seeds": [s.seed for s in samplers],
            "sampler_ranks": [s.rank for s in samplers],
            "num_replicas": [s.replicas for s in samplers],
        }
    if isinstance(common, tuple):
        found |= {"common": common[0], "samples": common[1]}
    return found
