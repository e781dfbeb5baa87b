"""The ranks' copies of the model differ, though their gradients are synchronised.

## What it means

Equal gradients keep copies equal; they do not make them equal. Copies that start from other random weights, or one of which
is loaded, initialised anew, or otherwise written on one rank alone, stay apart for the whole training: each gradient is the
mean of gradients of different models, and fits none of them. DistributedDataParallel sends rank 0's weights to all ranks
once, when it is constructed; what is written afterwards must be written on every rank, and the same.

## How to recognise it

`sum(p.sum() for p in model.parameters())` differs between ranks. whygrad compares checksums of every parameter before each
step, and says whether they differ from the start or since which step.

## Example

```python
torch.manual_seed(rank)
model = Net()                            # other weights on each rank
...
for p in model.parameters():
    dist.all_reduce(p.grad)
    p.grad /= world_size
```

## Use instead

```python
model = Net()
for p in model.parameters():
    dist.broadcast(p.data, src=0)
```

Or wrap it in DistributedDataParallel, which does this. Load a checkpoint on every rank, or before the wrapping.

## Not this rule

Different seeds before DistributedDataParallel is constructed. Shards, and slices of tensor parallelism, which share a name
and differ. Moving averages on rank 0. Copies that meet again within the window. Ranks whose gradients are not synchronised:
see `gradients-not-synchronised`.

## References

- https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
- https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.broadcast
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, Parting, between, compared, grouped
from whygrad.graph.chances import reseeded_apart

ACROSS = True
EXPLAINS = ("buffers-drift-apart", "same-data-on-every-rank")


def check(graph: Graph) -> Iterator[Finding]:
    """Copies that were never equal, that something else than a step has set apart, or to which steps do different things."""
    across = compared(graph)
    if not across.complete or across.averaging:
        return
    for why, text in (
        ("start", "differ between the ranks from the start"),
        ("write", "are written differently on the ranks after step {}"),
        ("update", "are changed differently on the ranks by step {}, for the same gradient"),
    ):
        found = [p for p in grouped(across.partings, why) if across.bound(p.key)]
        if not found:
            continue
        keys, first = [p.key for p in found], min(p.step for p in found)
        distance = across.distance(keys)
        yield Finding(
            rule="parameters-differ-between-ranks",
            severity="error",
            title=f"{across.count(keys)} {text.format(first)}",
            parameters=across.names(keys),
            link=10,
            causes=_causes(across, found, why)[:3],
            evidence={
                "first_step": first,
                **({} if distance is None else {"distance_at_the_end": round(distance, 5)}),
            },
            fix="Give every rank the weights of rank 0: wrap the model in DistributedDataParallel after its weights are "
            "final, or dist.broadcast() each parameter."
            if why != "update"
            else "Give all ranks the same optimizer options and the same optimizer state.",
        )


def _causes(across: Across, found: list[Parting], why: str) -> tuple[Site, ...]:
    key, step = found[0].key, min(p.step for p in found)
    indices = across.shared[key]
    params = [trace.params[i] for trace, i in zip(across.traces, indices, strict=True)]
    created = across.sites(0, [params[0].created], "created", 2)
    if why == "start":
        written = across.on_some([[p.written] for p in params], "written")
        seeds = reseeded_apart(across)
        return distinct([*written, *seeds[:1], *reversed(created), *_reduced(across, indices[0])])
    if why == "write":
        stacks = []
        for rank, (trace, index) in enumerate(zip(across.traces, indices, strict=True)):
            own = across.history(key)[rank]
            after = trace.steps[own[step][0]].tick
            before = trace.steps[own[step + 1][0]].tick if step + 1 < len(own) else 2**62
            stacks.append([e.stack for e in between(trace, "write", after, before) if index in e.params])
        return distinct([*across.on_some(stacks, "written"), *across.sites(0, stacks[0][:1], "written")])
    optimizers = [g.updates.holders[i][0][0] for g, i in zip(across.graphs, indices, strict=True)]
    made = [[t.optimizers[o].created] for t, o in zip(across.traces, optimizers, strict=True)]
    loaded = [[s for o, s in d.loaded if o == own] for d, own in zip(across.facts, optimizers, strict=True)]
    some = [*across.on_some(loaded, "state loaded"), *across.on_some(made, "optimizer")]
    return distinct([*some, *across.sites(0, made[0], "optimizer")])


def _reduced(across: Across, index: int) -> tuple[Site, ...]:
    calls = across.by_hand[0].get(index, ())
    return across.sites(0, [c.stack for c in calls[:1]], "gradients reduced", 0)
