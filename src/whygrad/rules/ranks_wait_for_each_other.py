"""Ranks of a distributed run wait for each other for ever: they do not make the same collective calls.

## What it means

A collective call (`all_reduce`, `broadcast`, `barrier`, the end of `backward()` under DistributedDataParallel, a forward
pass under `fully_shard`) returns when every rank of its group has made it. Where one rank makes a call that another never
makes, it waits until torch's own timeout, half an hour on gloo, or gets an error about a connection that was closed. The
message names neither the other rank nor what that one was doing.

## How to recognise it

whygrad asks every rank once a second where it stands. When no rank has got on for `--hang-timeout` seconds, or a rank
waits although others are over, it ends the run and puts them side by side: the call and line in which each rank waits,
for how long, and after how many steps; and which ranks had ended.

## Example

```python
for x, y in loader:          # one batch more on rank 0 than on rank 1
    loss = criterion(model(x), y)
    loss.backward()          # rank 0 waits here for the gradients of rank 1
    optimizer.step()
```

## Use instead

```python
sampler = DistributedSampler(dataset, drop_last=True)      # as many batches on every rank
```

Or `with Join([model]):` around the loop where the numbers of batches must differ. A call under `if rank == 0:` must not
be a collective one: gather on every rank, and print on one.

## Not this rule

A rank that works while others wait for it (it prepares a data set before a `barrier()`, or evaluates alone) is given
all the time it needs, as long as it gets on. Where a rank has raised an exception of its own, that is told instead.

## References

- https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
- https://docs.pytorch.org/tutorials/advanced/generic_join.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.standing import lost, side_by_side, sites, told

ACROSS = True
_SHOWN = 4  #: ranks named of many that do the same
_FIX = (
    "Let every rank make the same collective calls, as often and in the same order: as many batches on each "
    "(drop_last=True, or Join around the loop), and none of these calls under a condition that differs between ranks."
)
_KILLED = (
    "Find out first what killed the other rank: its own output, or a lack of memory. Torch itself aborts a rank whose "
    "call does not fit that of the others; then: "
)


def check(graph: Graph) -> Iterator[Finding]:
    """One finding for a run that hung, with the place of every rank."""
    ranks = graph.trace.ranks
    stuck = [one for one in ranks if one.ended == "hung" or lost(one)]
    if not stuck or any(one.ended == "raised" and not lost(one) for one in ranks):
        return
    order = [*stuck, *(one for one in ranks if one not in stuck)]
    alike: dict[str, list[t.Trace]] = {}
    for one in order:
        alike.setdefault(told(one), []).append(one)
    yield Finding(
        rule="",
        severity="error",
        title="; ".join(f"{_numbers(who)} {told(who[0], len(who) > 1)}" for who in alike.values()),
        causes=distinct([site for one in order for site in sites(one)]),
        evidence=side_by_side(ranks),
        fix=_KILLED + _FIX if any(one.ended == "running" for one in ranks) else _FIX,
        ranks=tuple(sorted(one.rank for one in stuck)),
    )


def _numbers(ranks: list[t.Trace]) -> str:
    shown = ", ".join(str(one.rank) for one in ranks[:_SHOWN])
    more = f" and {len(ranks) - _SHOWN} more" if len(ranks) > _SHOWN else ""
    return f"rank {shown}" if len(ranks) == 1 else f"ranks {shown}{more}"
