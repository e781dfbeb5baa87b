"""The ranks do not take the same number of batches, steps or collective calls: one waits for another.

## What it means

Every backward pass of DistributedDataParallel, and every `all_reduce`, `broadcast` or `barrier`, is a meeting of all ranks.
A rank that has one batch more than the others, or that alone calls a collective (`if rank == 0: dist.barrier()`), waits there
for partners that do not come: until the timeout, half an hour by default, or until the others have ended and the connection
breaks. If the others meanwhile call another collective, numbers of one are taken for numbers of the other.

## How to recognise it

The run hangs at the end of an epoch, or ends with "Connection closed by peer". whygrad compares the lengths of the ranks'
loaders, their steps, and the sequence of their collective calls, and says at which line each of them is.

## Example

```python
mine = data[: 100 + 10 * rank]           # more batches on rank 1
for x, y in DataLoader(mine, batch_size=10):
    criterion(ddp(x), y).backward()
```

## Use instead

```python
sampler = DistributedSampler(data)       # the same number on each rank
```

Or, where the shares can't be even:

```python
with torch.distributed.algorithms.join.Join([ddp]):
    for x, y in loader:
        ...
```

## Not this rule

Training inside `join`; loops that leave their loader early, or count their steps; collectives of smaller groups; a rank that
raised for a reason of its own.

## References

- https://docs.pytorch.org/docs/stable/distributed.algorithms.join.html
- https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.across import compared
from whygrad.graph.pace import broken_off, collectives, finished_early, lengths
from whygrad.graph.standing import side_by_side, sites

ACROSS = True
EXPLAINS = ("ranks-wait-for-each-other",)


def check(graph: Graph) -> Iterator[Finding]:
    """The first stumble of each kind; one is enough."""
    across = compared(graph)
    if not across.complete:
        return
    found = collectives(across) or broken_off(across) or lengths(across) or finished_early(across)
    if found is None:
        return
    hung = [one for one in graph.trace.ranks if one.ended == "hung"]
    yield Finding(
        rule="ranks-out-of-step",
        severity="error" if found.happened else "warning",
        title=found.title,
        link=10,
        causes=distinct([*found.sites, *(site for one in hung for site in sites(one))]),
        evidence={**found.evidence, **(side_by_side(graph.trace.ranks) if hung else {})},
        fix=found.fix,
    )
