"""Each step trains on the same batch, although the data set has others.

## What it means

`next(iter(loader))` inside the loop begins a new pass every time and takes its first batch; without shuffling it is
always the same one. A slice whose bounds do not move does the same. The loss falls to zero on these few samples, and all
the others are never seen.

## How to recognise it

The loss falls quickly, the validation does not. whygrad compares the contents of the batches, counts the passes that were
left after their first batch, and looks whether the loop around a slice counts batches.

## Example

```python
for step in range(1000):
    x, y = next(iter(loader))          # DataLoader(data, batch_size=32), not shuffled
```

## Use instead

```python
for epoch in range(10):
    for x, y in loader:                # DataLoader(data, batch_size=32, shuffle=True)
        ...
```

## Not this rule

One batch, taken once before the loop, to see whether the model can learn it; training on all data at every step; a loader
that has one batch only; fixed points of an equation.

## References

- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.feeding import Feeding

_TIMES = 3


def check(graph: Graph) -> Iterator[Finding]:
    """Passes that end after the same first batch; slices that do not move."""
    feeding = Feeding(graph)
    yield from _restarted(graph, feeding)
    yield from _unmoved(graph, feeding)


def _restarted(graph: Graph, feeding: Feeding) -> Iterator[Finding]:
    for index, batches in feeding.training.items():
        loader = feeding.data.loaders[index]
        first = [b for b in batches if b.number == 0]
        contents = {tuple(f.content for f in b.fields) for b in first}
        if (
            len(first) < max(_TIMES, len(batches))
            or len(contents) != 1
            or not first[0].fields
            or loader.batches < 2
        ):
            continue
        if len({b.turn for b in first}) < len(first):
            continue
        yield Finding(
            rule="same-batch-every-step",
            severity="warning",
            title=f"{len(first)} passes over the loader were begun and left after the same first batch: "
            f"{loader.batches - 1} are never seen",
            link=10,
            causes=distinct(
                [*graph.sites(first[-1].stack, "restarted", 1), *graph.sites(loader.created, "loader", 0)]
            )[:3],
            evidence={"passes": len(first), "batches": loader.batches, "different": 1},
            fix="Go through the loader (`for batch in loader`), or keep one iterator and begin anew when it is used up.",
        )


def _unmoved(graph: Graph, feeding: Feeding) -> Iterator[Finding]:
    fixed = [f for fed in feeding.passes.values() for f in fed if f.fixed_slice]
    targets = [f for b in feeding.passes for f in feeding.targets(b)]
    # targets that differ belong to other data
    if len({f.backward for f in fixed}) < _TIMES or len({f.content for f in targets}) > len(
        {f.stack for f in targets}
    ):
        return
    places = [s for f in fixed[:2] for s in graph.sites(f.created, "slice", 0)]
    yield Finding(
        rule="same-batch-every-step",
        severity="warning",
        title=f"the slice in the loop over batches took the same {fixed[0].shape[0]} rows in all of "
        f"{len({f.backward for f in fixed})} passes",
        link=10,
        causes=distinct(places)[:3],
        evidence={"rows": fixed[0].shape[0]},
        fix="Let the bounds move with the loop: x[i : i + size].",
    )
