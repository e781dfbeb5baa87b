"""A parameter trains on some ranks and stays as it is on others.

## What it means

The copies of a model stay equal only if every rank steps the same parameters. A layer that one rank has frozen, or whose
parameters only one rank's optimizer holds, is trained there and nowhere else: the ranks compute different functions, and
what is saved depends on which rank saves.

## How to recognise it

The parameter changes on one rank and not on another. whygrad compares checksums before every step, and which ranks stepped.

## Example

```python
optimizer = SGD(model.head.parameters(), lr=0.1)
if rank == 0:
    optimizer.add_param_group({"params": model.backbone.parameters()})
```

## Use instead

```python
optimizer = SGD(model.head.parameters(), lr=0.1)
optimizer.add_param_group({"params": model.backbone.parameters()})     # on every rank
```

## Not this rule

`ZeroRedundancyOptimizer`, where each rank steps a part and sends it to the others; pipeline stages and shards; parameters
that are frozen on all ranks; ranks that train independent models.

## References

- https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
- https://docs.pytorch.org/docs/stable/distributed.optim.html#torch.distributed.optim.ZeroRedundancyOptimizer
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, Key, compared, grouped

ACROSS = True
EXPLAINS = ("parameters-differ-between-ranks", "parameter-not-in-optimizer")


def check(graph: Graph) -> Iterator[Finding]:
    """Copies that part because only some ranks step them."""
    across = compared(graph)
    if not across.complete or across.averaging:
        return
    found = [p for p in grouped(across.partings, "idle") if _meant(across, p.key)]
    if not found:
        return
    keys = [p.key for p in found]
    moved = [i for i in range(len(across.graphs)) if _moves(across, i, keys[0])]
    yield Finding(
        rule="trained-on-one-rank",
        severity="error",
        title=f"{across.count(keys)} train on rank {', '.join(map(str, across.numbers(moved)))} only",
        parameters=across.names(keys),
        link=10,
        causes=_causes(across, keys[0])[:3],
        evidence={"first_step": min(p.step for p in found), "trained_on": across.numbers(moved)},
        fix="Freeze or train the same parameters on every rank, and give all optimizers the same parameters.",
    )


def _meant(across: Across, key: Key) -> bool:
    return across.bound(key) or any(map(across.bound, across.shared))


def _moves(across: Across, rank: int, key: Key) -> bool:
    index = across.shared[key][rank]
    updates = across.graphs[rank].updates
    return any(updates.moved(row) for _, row in updates.rows.get(index, ()))


def _causes(across: Across, key: Key) -> tuple[Site, ...]:
    indices = across.shared[key]
    params = [trace.params[i] for trace, i in zip(across.traces, indices, strict=True)]
    flips = across.on_some([[flip.stack for flip in p.flips] for p in params], "frozen or unfrozen")
    holders = [graph.updates.holders.get(i, ()) for graph, i in zip(across.graphs, indices, strict=True)]
    made = [[t.optimizers[o].created for o, _ in own] for t, own in zip(across.traces, holders, strict=True)]
    added = [
        [stack for o, _ in own for optimizer, stack in d.added if optimizer == o]
        for d, own in zip(across.facts, holders, strict=True)
    ]
    return distinct([
        *flips,
        *across.on_some(added, "added to the optimizer"),
        *across.on_some(made, "optimizer"),
        *across.sites(0, [s for own in made for s in own][:1], "optimizer"),
        *across.sites(0, [params[0].created], "created"),
    ])  # fmt: skip
