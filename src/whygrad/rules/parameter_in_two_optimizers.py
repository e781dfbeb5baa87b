"""A parameter is stepped twice on one gradient: two optimizers hold it, or one holds it twice.

## What it means

Both optimizers step after the same backward pass, so the parameter moves twice, by two rules that know nothing of each
other: the learning rate that is written down is not the one that it gets. In one optimizer a parameter that stands twice
in a group (tied weights, collected from two modules) moves twice too, and its momentum is updated twice.

## How to recognise it

torch warns of "a parameter group with duplicate parameters"; of two optimizers it says nothing.

## Example

```python
optimizer = SGD(model.parameters(), lr=0.1)
head_optimizer = SGD(model.head.parameters(), lr=0.1)
...
optimizer.step()
head_optimizer.step()
```

## Use instead

```python
optimizer = SGD([{"params": model.body.parameters()}, {"params": model.head.parameters(), "lr": 0.2}], lr=0.1)
```

For tied weights: `params = list(dict.fromkeys([*encoder.parameters(), *decoder.parameters()]))`.

## Not this rule

Optimizers that take turns, or that step on gradients of different passes (InfoGAN, adversarial training); one that only
wraps another and steps through it (SAM, Lookahead).

## References

- https://docs.pytorch.org/docs/stable/optim.html#per-parameter-options
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group

_STEPS = 2  #: gradients that both must have used


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters of which two optimizers used the same passes; duplicates within a group."""
    for pair, params in group((pair, p) for p in sorted(graph.deposits.uses) for pair in _pairs(graph, p)):
        one, other = (graph.trace.optimizers[o] for o in pair)
        yield Finding(
            rule="parameter-in-two-optimizers",
            severity="warning",
            title=f"{graph.count(params)}: both {one.name or one.kind} and {other.name or other.kind} step on the same "
            "gradients of them",
            parameters=graph.names(params),
            link=10,
            causes=distinct(
                [*graph.sites(other.created, "optimizer", 0), *graph.sites(one.created, "optimizer", 0)]
            ),
            evidence={"lrs": [g.lr for o in (one, other) for g in o.groups]},
            fix="Give each parameter to one optimizer; use parameter groups for different learning rates.",
        )
    for optimizer in graph.trace.optimizers:
        twice = sorted({p for g in optimizer.groups for p, times in Counter(g.params).items() if times > 1})
        if twice and optimizer.steps:
            yield Finding(
                rule="parameter-in-two-optimizers",
                severity="warning",
                title=f"{graph.count(twice)}: they stand twice in a group of {optimizer.name or optimizer.kind}, and are "
                "stepped twice",
                parameters=graph.names(twice),
                link=10,
                causes=graph.sites(optimizer.created, "optimizer", 1),
                evidence={"times": max(g.params.count(p) for g in optimizer.groups for p in twice)},
                fix="Give each parameter once: list(dict.fromkeys(params)).",
            )


def _pairs(graph: Graph, param: int) -> list[tuple[int, int]]:
    """Pairs of optimizers that used the same gradients of a parameter, in at least half of their steps."""
    by: dict[int, list[tuple[int, ...]]] = {}
    for use in graph.deposits.uses[param]:
        if use.optimizer >= 0:
            by.setdefault(use.optimizer, []).append(use.passes)
    found = []
    for one, other in combinations(sorted(by), 2):
        same = set(by[one]) & set(by[other])
        if len(same) >= max(_STEPS, min(len(by[one]), len(by[other])) / 2):
            found.append((one, other))
    return found
