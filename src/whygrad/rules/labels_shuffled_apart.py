"""Inputs and labels were put in different random orders: label i is no longer that of row i.

## What it means

Two permutations, one for the inputs and one for the labels, pair each input with the label of another one. What is left is
noise. The loss goes down to the entropy of the labels, and below it only by memorising.

## How to recognise it

whygrad follows the index tensors that select rows, from the data set to the loss, and compares what the rows of the
inputs and those of the labels went through. NumPy and `random` are read from the source. In both cases what it says is
checked against the numbers: where the inputs tell anything about the labels that came with them, nothing is said.

## Example

```python
x = x[torch.randperm(len(x))]
y = y[torch.randperm(len(y))]
```

## Use instead

```python
order = torch.randperm(len(x))
x, y = x[order], y[order]
```

## Not this rule

One permutation for both (or the same seed before each), mixup, where the input is a mixture that holds both orders,
negatives and independent pairs drawn by a permutation: there is an input left that goes with the target.

"Tell anything": between-class over within-class variance (or the squared correlation times the number of rows), averaged
over up to 64 features; 1 by chance. In 24 runs of 10 batches misaligned data gave 0.36 to 2.4, in 34 others aligned ones (a
cluster for each class) 5.2 or more; the limit is 3. Where targets depend on a few features out of many, or on a square,
aligned data may stay below it too: so this alone raises no alarm, it only takes one back.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.randperm.html
- https://numpy.org/doc/stable/reference/random/generated/numpy.random.shuffle.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.feeding import Feeding

_CHANCE = 3.0
_PASSES = 3


def check(graph: Graph) -> Iterator[Finding]:
    """Orders that differ between inputs and targets; arrays that the source shuffles apart; lists of files."""
    feeding = Feeding(graph)
    yield from _files(graph, feeding)
    if feeding.data.dependence >= _CHANCE:
        return
    found = list(_orders(graph, feeding))
    yield from found or list(_sources(graph, feeding))


def _orders(graph: Graph, feeding: Feeding) -> Iterator[Finding]:
    apart = {b: pair for b in feeding.passes if (pair := _apart(feeding, b)) is not None}
    if len(apart) < _PASSES or 2 * len(apart) < len(feeding.passes):
        return
    one, other = apart[max(apart)]
    orders = feeding.data.orders
    causes: list[Site] = []
    for number in (*one, *other):
        causes += graph.sites(orders[number].stack, "order", 0)
    what = "are in another order than" if one and other else "were shuffled, and not"
    side = "the inputs" if one else "the targets"
    left = "the targets" if one else "the inputs"
    yield Finding(
        rule="labels-shuffled-apart",
        severity="error",
        title=f"{side} {what} {left}: no row has its own label any more",
        link=10,
        causes=distinct(causes)[:3],
        evidence={
            "passes": len(apart),
            "rows": orders[(*one, *other)[0]].rows,
            "dependence": feeding.data.dependence,
        },
        fix="Draw one order and use it for both: order = torch.randperm(len(x)); x, y = x[order], y[order].",
    )


def _apart(feeding: Feeding, backward: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The selections in which the rows of the inputs and those of the target differ; None if some input goes with it."""
    inputs = [f for f in feeding.inputs(backward) if not f.repeated]
    for target in feeding.targets(backward):
        own = [f for f in inputs if f.shape[0] == target.shape[0]]
        if (
            target.distinct < 2
            or not own
            or len(own) != len(inputs)
            or any(f.content == target.content for f in own)
        ):
            continue
        pairs = [_differ(feeding, f, target) for f in own]
        if pairs and all(p is not None for p in pairs):
            return pairs[0]
    return None


def _differ(feeding: Feeding, fed: t.Fed, target: t.Fed) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    if set(fed.orders) & set(target.orders) or not fed.orders or not target.orders:
        return None
    orders = feeding.data.orders
    pairs = []
    for a in fed.orders:
        for b in target.orders:
            mine, its = _without_common(a, b)
            if mine and its:
                sizes = {(orders[n].rows, orders[n].taken) for n in (*mine, *its)}
                if len(sizes) != 1 or not all(orders[n].rows >= 8 for n in (*mine, *its)):
                    return None
            else:
                moved, still = (mine, target) if mine else (its, fed)
                if not all(orders[n].whole for n in moved) or still.since >= min(
                    orders[n].tick for n in moved
                ):
                    return None
            pairs.append((mine, its))
    return pairs[0] if pairs else None


def _without_common(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    return a, b


def _sources(graph: Graph, feeding: Feeding) -> Iterator[Finding]:
    if feeding.data.dependence < 0:
        return
    for pair in feeding.data.apart[:1]:
        both = pair.first != pair.second
        title = (
            f"`{pair.names[0]}` and `{pair.names[1]}` are shuffled one by one and then joined row by row"
            if both
            else f"`{pair.names[0]}` is shuffled and then joined with arrays that are not"
        )
        yield Finding(
            rule="labels-shuffled-apart",
            severity="warning",
            title=f"{title}; the inputs tell nothing about the targets",
            link=10,
            causes=distinct(
                [
                    *graph.sites(pair.first, "order", 0),
                    *graph.sites(pair.second, "order", 0),
                    *graph.sites(pair.joined, "joined", 0),
                ]
            ),
            evidence={"dependence": feeding.data.dependence, "dependence_by_chance": 1.0},
            fix="Draw one order and use it for both: order = rng.permutation(len(x)); x, y = x[order], y[order].",
        )


def _files(graph: Graph, feeding: Feeding) -> Iterator[Finding]:
    for index in feeding.training:
        loader = feeding.data.loaders[index]
        if loader.files_apart >= 0:
            yield Finding(
                rule="labels-shuffled-apart",
                severity="error",
                title=f"{loader.dataset} pairs two lists that hold the same file names in different orders",
                link=10,
                causes=graph.sites(loader.files_apart, "order", 0),
                fix="Sort both lists in the same way.",
            )
