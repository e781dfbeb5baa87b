"""Gradients are clipped by each rank's own norm instead of that of the mean.

## What it means

Clipping by norm is one step for the whole model: all gradients are scaled by one factor, so that their direction stays. Where
each rank clips before the gradients are reduced, each has a factor of its own: a rank with a large gradient counts less than
it should, the mean points elsewhere, and may still be far from the limit that was asked for. For shards it is worse: each
rank takes the norm of its own part for that of the whole, and parts of one model are scaled by different factors.

## How to recognise it

The norm that `clip_grad_norm_` returns differs between the ranks. whygrad compares these norms at the same step, and only
reports them where the limit was exceeded.

## Example

```python
loss.backward()
clip_grad_norm_(model.parameters(), 1.0)
for p in model.parameters():
    dist.all_reduce(p.grad)
    p.grad /= world_size
```

## Use instead

```python
loss.backward()
for p in model.parameters():
    dist.all_reduce(p.grad)
    p.grad /= world_size
clip_grad_norm_(model.parameters(), 1.0)
```

FullyShardedDataParallel has a method of its own: `model.clip_grad_norm_(1.0)`. With `fully_shard` torch's function takes the
norm of the whole.

## Not this rule

Clipping after DistributedDataParallel's backward, when all ranks have the same gradient; limits that are not reached;
gradients that nothing synchronises (see `gradients-not-synchronised`).

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
- https://docs.pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.clip_grad_norm_
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, compared

ACROSS = True
_APART = 0.01  #: of the factors by which the ranks scale


def check(graph: Graph) -> Iterator[Finding]:
    """Clippings whose factor is not the same on all ranks, before a reduction or of shards."""
    across = compared(graph)
    if not across.complete:
        return
    clips = [
        [e for e in trace.events if e.kind == "clip" and _norm(e) is not None] for trace in across.traces
    ]
    places: dict[int, list[list[float]]] = {}
    why = ""
    for events in zip(*clips, strict=False):
        norms = [_norm(e) or 0.0 for e in events]
        factors = [min(1.0, _limit(e) / (n + 1e-6)) for e, n in zip(events, norms, strict=True)]
        kinds = {_kind(across, rank, e) for rank, e in enumerate(events)}
        if len(kinds) == 1 and (kind := kinds.pop()) and max(factors) - min(factors) > _APART * max(factors):
            places.setdefault(events[0].stack, []).append(norms)
            why = kind
    for stack, found in places.items():
        worst = max(found, key=lambda norms: max(norms) / max(min(norms), 1e-30))
        reduced = [c.stack for calls in across.by_hand[0].values() for c in calls][:1]
        yield Finding(
            rule="clipped-by-local-norm",
            severity="warning",
            title=f"Gradients are clipped by each rank's own norm ({', '.join(f'{n:.3g}' for n in worst)}) {why}",
            link=10,
            causes=distinct([
                *across.sites(0, [stack], "clipped", 0), *across.sites(0, reduced, "reduced afterwards", 0)
            ]),
            evidence={"norms": worst, "limit": _limit(clips[0][0]), "times": len(found)},
            fix="Clip after the gradients are reduced over all ranks, so that every rank has the same norm."
            if reduced
            else "Use the model's own method, which takes the norm over all shards: model.clip_grad_norm_(max_norm).",
        )  # fmt: skip


def _norm(event: t.Event) -> float | None:
    norm = event.data.get("total_norm")
    return float(norm) if isinstance(norm, float) and math.isfinite(norm) else None


def _limit(event: t.Event) -> float:
    return float(event.data.get("limit") or 0.0)


def _kind(across: Across, rank: int, event: t.Event) -> str:
    """What makes it wrong: a reduction that follows before the step, or shards; empty if it is right."""
    facts, trace = across.facts[rank], across.traces[rank]
    if facts.sharded and set(event.params) & set(facts.sharded) and not facts.tensor_parallel:
        return "of its own shards"
    step = next((s.tick for s in trace.steps if s.tick > event.tick), None)
    own = set(event.params)
    for call in facts.collectives:
        if (
            event.tick < call.tick < (step or 0)
            and call.what in ("gradient", "like")
            and own & set(call.params)
        ):
            return "before they are reduced"
    return ""
