"""Gradients are multiplied or divided by the number of ranks once too often, or not at all.

## What it means

The gradient of the mean loss over all ranks is the mean of the ranks' gradients. `all_reduce` adds them up, and leaves the
division to the caller; DistributedDataParallel and FSDP divide by themselves. Without a division the gradient, and with it
every step of SGD, is as many times too large as there are ranks; divided twice it is as many times too small. The same
script then learns differently on two machines than on eight, and gradients are clipped too early or never.

## How to recognise it

A run on one rank and one on several with the same total batch take steps of another size. whygrad measures it: a linear
statistic of the gradient that a step used, over the sum of that statistic for the gradients that all ranks' backward passes
brought, is 1 for a sum, 1/world for a mean, 1/world² for one divided twice.

## Example

```python
for p in model.parameters():
    dist.all_reduce(p.grad)              # a sum
optimizer.step()
```

## Use instead

```python
for p in model.parameters():
    dist.all_reduce(p.grad)
    p.grad /= dist.get_world_size()
optimizer.step()
```

With DistributedDataParallel leave the gradients and the loss alone.

## Not this rule

A sum where the loss of each rank was divided by the number of ranks, or is a sum over samples itself (for a division by the
number of samples of all ranks). Optimizers that do not heed the size of a gradient (Adam and its kind) make it a note, unless
gradients are clipped.

## References

- https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_reduce
- https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.across import Across, Key, compared
from whygrad.graph.averaging import factor
from whygrad.graph.world_divisions import divides_gradients, divides_loss, loss_is_mean, multiplies_loss

ACROSS = True
_CLOSE = 0.05
_HEEDLESS = {
    "Adam",
    "AdamW",
    "NAdam",
    "RAdam",
    "Adamax",
    "RMSprop",
    "Adagrad",
    "Adadelta",
    "Rprop",
    "Adafactor",
    "Muon",
}

Told = tuple[str, str, tuple[Site, ...]]  #: title, fix, places


def check(graph: Graph) -> Iterator[Finding]:
    """Sums that nothing divides, and means that something divides again."""
    across = compared(graph)
    if not across.complete:
        return
    kinds = {
        "wrapped": [key for key in across.shared if across.wrapped(key)],
        "by hand": [key for key in across.shared if across.reduced_by_hand(key) and not across.wrapped(key)],
    }
    for kind, keys in kinds.items():
        measured = factor(across, keys) if keys else None
        if measured is None or measured <= 0:
            continue
        told = _wrapped(across, measured) if kind == "wrapped" else _by_hand(across, keys, measured)
        if told is not None:
            title, fix, sites = told
            yield Finding(
                rule="gradient-scaled-by-world-size",
                severity=_severity(across, keys),
                title=title,
                parameters=across.names(keys),
                link=10,
                causes=sites[:3],
                evidence={"factor": round(measured, 4), "ranks": across.world},
                fix=fix,
            )


def _near(measured: float, wanted: float) -> bool:
    return math.isclose(measured, wanted, rel_tol=_CLOSE)


def _wrapped(across: Across, measured: float) -> Told | None:
    world = across.world
    again = [c.stack for calls in across.by_hand[0].values() for c in calls][:1]
    if _near(measured, 1 / world**2):
        sites = distinct([*divides_gradients(across), *across.sites(0, again, "reduced again", 0)])
        title = f"Gradients are divided by {world} twice: by DistributedDataParallel, and again by hand"
        return title, "Leave out the division by hand: DistributedDataParallel averages already.", sites
    if _near(measured, 1.0) and again:
        title = (
            f"Gradients are {world} times too large: averaged by DistributedDataParallel, then added up again"
        )
        fix = "Leave out the reduction by hand: DistributedDataParallel averages already."
        return title, fix, across.sites(0, again, "reduced again", 0)
    loss = divides_loss(across)
    if _near(measured, 1 / world) and loss and loss_is_mean(across):
        title = (
            f"The loss is divided by {world} ranks, and DistributedDataParallel divides its gradients again"
        )
        return title, "Leave out the division of the loss: DistributedDataParallel averages already.", loss
    times = multiplies_loss(across)
    if _near(measured, 1 / world) and times and loss_is_mean(across):
        title = f"The loss is a mean and multiplied by {world} ranks: gradients are {world} times those of the mean loss"
        return (
            title,
            "Leave out the product: DistributedDataParallel takes the mean over the ranks, as is meant.",
            times,
        )
    return None


def _by_hand(across: Across, keys: list[Key], measured: float) -> Told | None:
    world = across.world
    index = across.shared[keys[0]][0]
    reduced = across.sites(0, [c.stack for c in across.by_hand[0].get(index, ())][:1], "added up here")
    if _near(measured, 1 / world**2):
        title = f"Gradients are divided by {world} twice after they are reduced"
        return title, "Divide once.", distinct([*divides_gradients(across), *reduced])
    loss = divides_loss(across)
    if _near(measured, 1 / world) and loss and loss_is_mean(across):
        title = f"The loss is divided by {world} ranks, and so are the gradients after they are reduced"
        return (
            title,
            "Divide either the loss or the reduced gradients.",
            distinct([*loss, *divides_gradients(across)]),
        )
    if _near(measured, 1.0) and not loss and loss_is_mean(across):
        title = f"Gradients are the sum over {world} ranks: {world} times that of the mean loss"
        fix = f"Divide the reduced gradients by the number of ranks: p.grad /= dist.get_world_size() (here {world})."
        return title, fix, reduced
    return None


def _severity(across: Across, keys: list[Key]) -> Literal["warning", "note"]:
    index, trace = across.shared[keys[0]][0], across.traces[0]
    kinds = {trace.optimizers[o].kind for o, _ in across.graphs[0].updates.holders.get(index, ())}
    clipped = any(e.kind == "clip" for e in trace.events)
    return "note" if kinds and kinds <= _HEEDLESS and not clipped else "warning"
