"""The data are sorted by class (or by target) and are not shuffled, so that each batch holds one class.

## What it means

Files often come class by class. Without `shuffle=True` a DataLoader keeps that order. Each batch then tells the network
to answer one class, whatever the input; when the class changes, it unlearns the one before. At the end of an epoch it
favours what came last. The loss looks good all the while, apart from a jump at each change.

## How to recognise it

The targets of each batch are all the same (or few of many), and the sampler goes through the data in order. Where the
targets of the whole data set can be found, whygrad counts how often one class follows another in it.

## Example

```python
y = torch.arange(6).repeat_interleave(200)
loader = DataLoader(TensorDataset(x, y), batch_size=40)
```

## Use instead

```python
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
```

An `IterableDataset` must shuffle by itself; in a loop over slices shuffle the indices: `for i in
torch.randperm(len(x)).split(40)`.

## Not this rule

Batches of one class on purpose (the real and the fake half of a GAN), a time series in its order, data in a file that was
shuffled, loaders used for evaluation, a data set that fits into one batch. A random order has to be ruled out: with the
classes as frequent as they are, at most a tenth of the changes that one would expect may be there, and at least ten must be
expected. In 3,947 random orders of 30 to 3,000 rows and 2 to 50 classes of unequal frequency the share was never below
0.62, and above 0.83 in 99 of 100; sorted data change once for each class, which is 0.05 and less from 20 rows a class on.

## References

- https://docs.pytorch.org/docs/stable/data.html#data-loading-order-and-sampler
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.feeding import Feeding, Stream

_CHANGES = 0.1  #: of the changes between classes that a random order has
_FEW = 0.25  #: share of the other classes that a batch may hold besides one
_SPREAD = 0.3  #: deviation of numbers within a batch, over that of all


def check(graph: Graph) -> Iterator[Finding]:
    """Targets that come in the order of the data, and are sorted in it."""
    feeding = Feeding(graph)
    for stream in feeding.streams():
        told = _classes(stream) or _numbers(stream, feeding)
        if told is None:
            continue
        title, severity, evidence = told
        yield Finding(
            rule="sorted-without-shuffling",
            severity=severity,  # type: ignore[arg-type]
            title=title,
            link=10,
            causes=graph.sites(stream.created if stream.created >= 0 else stream.stack, "order", 1)[:3],
            evidence=evidence,
            fix="Pass shuffle=True to the DataLoader."
            if stream.loader is not None
            else "Take the batches in a random order: torch.randperm(n).split(batch_size).",
        )


Told = tuple[str, str, dict[str, object]]


def _classes(stream: Stream) -> Told | None:
    batches = [f for f in stream.feds if f.counts and f.shape[0] >= 4]
    if len(batches) < 3 or len(batches) < len(stream.feds) - 1:
        return None
    seen = Counter[int]()
    for f in batches:
        seen.update(dict(f.counts))
    rows, column = sum(seen.values()), stream.column
    classes = column.classes if column is not None else len(seen)
    if classes < 2 or (classes > rows and column is None):
        return None
    if column is not None:
        changes, expected = column.changes, column.by_chance
        if column.rows <= 2 * batches[0].shape[0] or classes * 4 > column.rows:
            return None
    else:
        changes = sum(f.changes for f in batches) + sum(
            a.counts[0][0] != b.counts[0][0] for a, b in itertools.pairwise(batches)
        )
        expected = (rows - 1) * (1 - sum((n / rows) ** 2 for n in seen.values()))
    held = sum(len(f.counts) for f in batches) / len(batches)
    if expected < 10 or changes > _CHANGES * expected or held > 1 + _FEW * (classes - 1):
        return None
    if column is None and len(seen) < 2:
        return None
    single = all(len(f.counts) == 1 for f in batches)
    held_text = "a single class" if single else f"{held:.1f} classes"
    text = (
        f"{len(batches)} batches in a row hold {held_text} each, of {classes}: sorted data are not shuffled"
    )
    evidence: dict[str, object] = {
        "classes": classes,
        "classes_per_batch": round(held, 2),
        "changes": changes,
        "changes_of_a_random_order": round(expected),
    }
    return text, "error" if single and len(seen) > 1 else "warning", evidence


def _numbers(stream: Stream, feeding: Feeding) -> Told | None:
    feds = [f for f in stream.feds if isinstance(f, t.Fed)]
    if stream.loader is not None:
        contents = {f.content for f in stream.feds}
        feds = [f for b in feeding.passes for f in feeding.targets(b)[:1] if f.content in contents]
    feds = [f for f in feds if f.shape[0] >= 8]
    if (
        len(feds) < 4
        or len({f.rising for f in feds}) != 1
        or feds[0].rising == 0
        or not math.isfinite(feds[0].mean)
    ):
        return None
    if any(f.distinct < 4 for f in feds) or _sorted_inputs(feeding):
        return None
    means = [f.mean for f in feds]
    steps = [(b - a) * feds[0].rising for a, b in itertools.pairwise(means)]
    # a second epoch begins anew
    if sum(s < 0 for s in steps) * 4 > len(steps):
        return None
    centre = sum(means) / len(means)
    among = math.sqrt(sum((m - centre) ** 2 for m in means) / len(means))
    within = math.sqrt(sum(f.spread**2 for f in feds) / len(feds))
    whole = math.hypot(among, within)
    if not whole or within > _SPREAD * whole:
        return None
    text = f"the targets of {len(feds)} batches in a row are sorted, each batch holds {within / whole:.0%} of their spread"
    return text, "warning", {"spread_within": within, "spread": whole}


def _sorted_inputs(feeding: Feeding) -> bool:
    """Whether the input is a single sorted number itself: a time or a place along which one goes."""
    fed = [f for b in feeding.passes for f in feeding.inputs(b)[:1]]
    return any(math.prod(f.shape[1:]) == 1 for f in fed)
