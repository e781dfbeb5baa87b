"""Each rank trains with gradients of its own, though they are meant to be synchronised.

## What it means

Data-parallel training keeps one copy of the model on each rank and gives every copy the same gradient, the mean over all
ranks. Where that does not happen, each rank takes its own way: the copies drift apart, each has seen only its share of the
data, and what rank 0 saves is a model trained on a part. Nothing raises, and the loss falls on every rank.

DistributedDataParallel synchronises in one way only: its `forward` prepares the reducer, and hooks on the parameters that
it found when it was constructed tell it of their gradients in the first backward pass afterwards. It hears of nothing if

- the module inside is called instead (`model.module(x)`, or the variable that was wrapped);
- the last forward pass before the step ran inside `no_sync()`;
- a parameter was replaced, added or unfrozen after the wrapping;
- the wrapped model was converted (`.half()`, `.bfloat16()`, `.to(device)`): autograd drops the AccumulateGrad node of a
  parameter whose data get another dtype or device, and the hook with it, even if they are converted back;
- a second `backward()` follows the same forward pass;
- a communication hook returns the bucket without reducing it.

Where a script reduces gradients itself, the same comes of reducing a copy, after the step, with `reduce` instead of
`all_reduce`, or of not all of them.

## How to recognise it

`model.weight.sum()` printed on every rank is not the same. whygrad compares checksums of every parameter and the norms of
all gradients at each step, and names the first step at which a gradient differs while the parameter was still the same.

## Example

```python
self.model = model
self.ddp = DistributedDataParallel(model)
...
loss = criterion(self.model(x), y)       # past the wrapper
```

## Use instead

```python
loss = criterion(self.ddp(x), y)
```

## Not this rule

Accumulation with `no_sync()` whose last pass runs outside it. Evaluation through the inner module. Copies that part and
meet again within the window, and those that `torch.distributed.algorithms.model_averaging` brings together later. Shards of
FSDP or of a device mesh. Ranks that share no gradients and whose data are not shared out: independent trainings.

## References

- https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
- https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
- https://github.com/pytorch/pytorch/issues/104336
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.across import Across, Key, Parting, compared, grouped
from whygrad.graph.desync import Reason, brought_alike, copies_reduced, reason
from whygrad.graph.independent import never_bound

ACROSS = True
EXPLAINS = (
    "parameters-differ-between-ranks", "buffers-drift-apart", "clipped-by-local-norm", "trained-on-one-rank",
    "learning-rate-differs-between-ranks",
)  # fmt: skip

_STEPS = 3


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose copies part because of their gradients, by the reason."""
    across = compared(graph)
    if not across.complete or across.averaging:
        return
    parted = [p for p in grouped(across.partings, "gradient") if _meant(across, p)]
    reasons: dict[Reason, list[Parting]] = {}
    for parting in parted:
        for why in _reasons(across, parting):
            reasons.setdefault(why, []).append(parting)
    for why, found in reasons.items():
        keys = [p.key for p in found]
        first = min(p.step for p in found)
        yield Finding(
            rule="gradients-not-synchronised",
            severity="error",
            title=f"{across.count(keys)} get another gradient on each rank from step {first} on"
            + (f": {why.text}" if why.text else ""),
            parameters=across.names(keys),
            link=10,
            causes=why.sites,
            evidence=_evidence(across, keys, first),
            fix=why.fix,
        )
    if not parted:
        yield from _never(across)
        yield from _thrown_away(across)


def _meant(across: Across, parting: Parting) -> bool:
    """Whether a parameter, or others of the same model, are synchronised by anything, or its gradient was the same
    everywhere before something changed it."""
    key = parting.key
    if across.bound(key) or any(across.by_hand) or copies_reduced(across, 0, key):
        return True
    if across.sharded or brought_alike(across, key, parting.step):
        return True
    wrappers = [w for d in across.facts for w in d.wrappers if w.world == across.world]
    indices = across.shared[key]
    return any(index in p.unknown for w in wrappers for p in w.prepared for index in indices)


def _reasons(across: Across, parting: Parting) -> list[Reason]:
    """What the ranks say of one parting: where one of them gives a reason, the others have none of their own."""
    found = [reason(across, rank, parting.key, parting.step) for rank in range(len(across.graphs))]
    told = [one for one in found if one.kind != "local"] or found[:1]
    return list(dict.fromkeys(told))[:1]


def _never(across: Across) -> Iterator[Finding]:
    """Nothing synchronises anything, though the ranks share out the data of one training."""
    told = never_bound(across)
    if told is None:
        return
    keys, step, sites, split = told
    yield Finding(
        rule="gradients-not-synchronised",
        severity="warning",
        title=f"{across.count(keys)} get another gradient on each rank from step {step} on: nothing synchronises them, "
        f"though {split}",
        parameters=across.names(keys),
        link=10,
        causes=sites,
        evidence=_evidence(across, keys, step),
        fix="Wrap the model in DistributedDataParallel, and call the wrapper in the forward pass.",
    )


def _thrown_away(across: Across) -> Iterator[Finding]:
    """All ranks step with gradients of their own, and then take over the weights of one of them."""
    found: dict[Key, t.Collective] = {}
    for key, indices in across.shared.items():
        calls = [
            c
            for c in across.facts[0].collectives
            if c.name == "broadcast" and indices[0] in c.params and c.step > 0
        ]
        steps = range(min(len(across.history(key)[0]), len(calls)))
        if (
            len(steps) >= _STEPS
            and not across.bound(key)
            and not any(across.same_gradient(key, n) for n in steps)
        ):
            found[key] = calls[0]
    if found:
        keys, call = list(found), next(iter(found.values()))
        yield Finding(
            rule="gradients-not-synchronised",
            severity="error",
            title=f"{across.count(keys)} get another gradient on each rank, and after each step all ranks take over the "
            f"weights of rank {max(call.source, 0)}: what the others have learned is thrown away",
            parameters=across.names(keys),
            link=10,
            causes=across.sites(0, [call.stack], "sent to all ranks"),
            evidence=_evidence(across, keys, 0),
            fix="Reduce the gradients of all ranks before the step (all_reduce, divided by their number), not the weights.",
        )


def _evidence(across: Across, keys: list[Key], step: int) -> dict[str, object]:
    key = keys[0]
    norms = [own[step][1].grad for own in across.history(key) if len(own) > step]
    distance = across.distance(keys)
    found: dict[str, object] = {"first_step": step, "gradient_norms": norms}
    return found if distance is None else {**found, "distance_at_the_end": round(distance, 5)}
