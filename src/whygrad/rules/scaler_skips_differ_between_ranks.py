"""A GradScaler leaves a step out on some ranks and takes it on others.

## What it means

A GradScaler skips a step whose gradients are not finite, and halves its scale. Each rank has a scaler of its own. With
gradients that are the same on all ranks all of them decide alike; where they look at gradients that are not (before a
reduction by hand, or at shards of FSDP, of which one alone overflowed), one rank steps and the other does not, their scales
part too, and from then on the ranks hold different models.

## How to recognise it

`scaler.get_scale()` differs between the ranks. whygrad compares which steps each rank has left out, and with which scale.

## Example

```python
scaler.scale(loss).backward()
scaler.unscale_(optimizer)               # looks for inf in the local gradient
for p in model.parameters():
    dist.all_reduce(p.grad)
scaler.step(optimizer)
```

## Use instead

```python
scaler.scale(loss).backward()
for p in model.parameters():
    dist.all_reduce(p.grad)              # inf on one rank is inf on all
scaler.step(optimizer)
```

With FSDP use `torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler`, which asks all ranks.

## Not this rule

Steps that all ranks leave out together; ranks that train independent models.

## References

- https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
- https://docs.pytorch.org/docs/stable/notes/amp_examples.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, compared

ACROSS = True
EXPLAINS = (
    "parameters-differ-between-ranks", "gradients-not-synchronised", "nonfinite-gradient", "first-nonfinite",
)  # fmt: skip


def check(graph: Graph) -> Iterator[Finding]:
    """The first call of ``GradScaler.step`` on which the ranks disagree."""
    across = compared(graph)
    if not across.data_parallel:
        return
    calls = [[e for e in trace.events if e.kind == "scaler-step"] for trace in across.traces]
    for number, events in enumerate(zip(*calls, strict=False)):
        skipped = [bool(e.data.get("found_inf")) for e in events]
        if len(set(skipped)) == 1:
            continue
        who = across.numbers(i for i, one in enumerate(skipped) if one)
        yield Finding(
            rule="scaler-skips-differ-between-ranks",
            severity="error",
            title=f"Step {number} is left out by the GradScaler on rank {', '.join(map(str, who))} and taken on the others",
            link=10,
            causes=distinct([
                *across.sites(0, [_unscaled(across, events[0])], "looks for inf", 0),
                *across.sites(0, [events[0].stack], "step or skip", 0),
            ])[:3],
            evidence={"step": number, "skipped_on": who, "scales": [e.data.get("scale") for e in events]},
            fix="Reduce the gradients over all ranks before the scaler looks at them (unscale_ or step).",
        )  # fmt: skip
        return


def _unscaled(across: Across, event: t.Event) -> int:
    before = [e for e in across.traces[0].events if e.kind == "unscale" and e.tick < event.tick]
    return before[-1].stack if before else event.stack
