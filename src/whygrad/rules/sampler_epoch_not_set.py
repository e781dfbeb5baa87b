"""A DistributedSampler is never told the epoch, so that every epoch has the same order.

## What it means

DistributedSampler shuffles with a generator that it seeds with `seed + epoch` at the start of each pass, so that all ranks
get the same order. The epoch is what `set_epoch` said last, and 0 if it was never called: then every epoch goes through the
data in the very same order, each rank sees the same samples in the same batches for the whole training, and no sample ever
moves to another rank.

## How to recognise it

The indices of the first batch are the same in each epoch. whygrad compares the indices of two passes, where a second one
begins while it looks; where an epoch is longer than that, it says so if the source never calls `set_epoch` and goes through
the loader in a loop of epochs.

## Example

```python
sampler = DistributedSampler(dataset)
loader = DataLoader(dataset, sampler=sampler)
for epoch in range(epochs):
    for x, y in loader:
        ...
```

## Use instead

```python
for epoch in range(epochs):
    sampler.set_epoch(epoch)
    for x, y in loader:
        ...
```

## Not this rule

A single epoch; samplers with `shuffle=False`; frameworks that call it themselves (whygrad sees the call).

## References

- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, compared
from whygrad.graph.shares import first_passes

ACROSS = True


def check(graph: Graph) -> Iterator[Finding]:
    """Samplers that shuffle, and were not told the epoch before a pass that is, or will be, one of several."""
    across = compared(graph)
    if not across.complete:
        return
    facts = across.facts[0]
    loaders = dict.fromkeys(r.loader for r in facts.readings if r.grad and r.sampler is not None)
    for loader in loaders:
        passes = [r for r in facts.readings if r.loader == loader and r.grad and r.sampler is not None]
        told = _told(across, passes) or _told_on_some(across, passes)
        if told:
            title, severity = told
            yield Finding(
                rule="sampler-epoch-not-set",
                severity=severity,
                title=title,
                link=10,
                causes=_causes(across, passes)[:3],
                evidence={
                    "passes": len(passes),
                    "set_epoch_calls": [r.sampler.set_epoch for r in passes if r.sampler is not None],
                },
                fix="Call sampler.set_epoch(epoch) on every rank at the start of each epoch, before the loop over the loader.",
            )


Told = tuple[str, Literal["error", "warning"]]


def _told(across: Across, passes: list[t.Reading]) -> Told | None:
    """Title and severity; None where all is well."""
    samplers = [r.sampler for r in passes if r.sampler is not None]
    kind = samplers[0].kind
    if not samplers[0].shuffle:
        return None
    if len(passes) > 1:
        common = min(len(passes[0].chosen), len(passes[1].chosen))
        if samplers[0].epoch != samplers[1].epoch or not common:
            return None
        if passes[0].chosen[:common] != passes[1].chosen[:common]:
            return None
        how = "is told the same epoch again" if samplers[1].set_epoch else "is never called"
        return (
            f"{kind}.set_epoch() {how}: the second epoch goes through the data in the order of the first",
            "error",
        )
    unknown = samplers[0].set_epoch or across.facts[0].said.set_epoch
    if unknown or not passes[0].loops or passes[0].rounds == 1:
        return None
    return (
        f"{kind}.set_epoch() is never called: every epoch will go through the data in the same order",
        "warning",
    )


def _told_on_some(across: Across, passes: list[t.Reading]) -> Told | None:
    """Whether only some ranks tell their sampler the epoch, so that their orders part in the second one."""
    firsts = first_passes(across) or []
    samplers = [r.sampler for r in firsts if r.sampler is not None]
    if len(samplers) < len(across.facts) or passes[0].rounds == 1 or not samplers[0].shuffle:
        return None
    told = [bool(s.set_epoch) for s in samplers]
    if all(told) or not any(told):
        return None
    who = ", ".join(str(d.rank) for d, own in zip(across.facts, told, strict=True) if own)
    return f"{samplers[0].kind}.set_epoch() is called on rank {who} only: the ranks' orders part", "error"


def _causes(across: Across, passes: list[t.Reading]) -> tuple[Site, ...]:
    first = passes[0]
    made = first.sampler.made if first.sampler is not None else -1
    told = across.facts[0].said.set_epoch
    return distinct([
        *across.sites(0, told[:1], "tells the epoch", 0),
        *across.sites(0, [first.stack], "each epoch begins here", 0),
        *across.sites(0, [made], "sampler", 0),
        *across.sites(0, first.loops[-1:], "loop of epochs", 0),
    ])  # fmt: skip
