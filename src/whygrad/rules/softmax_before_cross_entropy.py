"""A softmax in front of a loss that takes the softmax itself.

## What it means

`cross_entropy` takes scores of any size and normalises them. Given probabilities, which lie between 0 and 1, it takes
the softmax a second time: no class can get more than e / (e + C - 1) of it, so that for ten classes the loss can't go
below 1.46 however sure the model is, and the gradient is that of the softmax times that of the loss, small everywhere.
The model learns slowly and stops early. The same holds for `log_softmax` of a softmax and for
`Categorical(logits=probabilities)`.

## How to recognise it

The loss starts near log(C) and stays above a half of it while the accuracy rises. What the loss is given sums to 1 for
every sample; whygrad measures that, so that a softmax written by hand is found as well.

## Example

```python
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10), nn.Softmax(dim=1))
loss = nn.CrossEntropyLoss()(model(x), y)
```

## Use instead

```python
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
loss = nn.CrossEntropyLoss()(model(x), y)
probabilities = model(x).softmax(dim=1)        # where they are wanted
```

## Not this rule

`log_softmax` before `cross_entropy` changes nothing, since the log-softmax of log-probabilities is themselves (a note).
Neither does softmax, then `log`. Soft targets may be probabilities, and so may attention weights.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Severity
from whygrad.graph import Graph, distinct
from whygrad.graph.losing import (
    Place,
    best_loss,
    blamed,
    classes,
    counts,
    once,
    places,
    probabilities,
    reached,
    within,
)
from whygrad.graph.mending import without
from whygrad.graph.sources import SOFTMAX, made_and_called, name_of, source

_FIX = "Give it the scores as they come out of the last layer; take the softmax only where probabilities are wanted."


def check(graph: Graph) -> Iterator[Finding]:
    """Probabilities that are normalised again."""
    yield from once(_each(graph))


def _each(graph: Graph) -> Iterator[Finding]:
    for place in places(graph, "cross_entropy"):
        look = place.looks[0]
        count = classes(graph, look)
        if count < 2 or not place.all(lambda one: one.low == one.low):
            continue
        found = source(graph, look.scores)
        name = name_of(graph, found.op)
        made = name in SOFTMAX and found.same and place.all(lambda one: within(one, 0, 1))
        if made or (place.all(probabilities) and place.all(lambda one: one.high < 1 or one.low > 0)):
            yield _finding(graph, place, found.op, count, "error")
        elif name == "log_softmax" and found.same and place.all(lambda one: one.rows.logs < 0.01):
            yield _finding(graph, place, found.op, count, "note")
    yield from _twice(graph)


def _finding(graph: Graph, place: Place, op: int, count: int, severity: Severity) -> Finding:
    look, floor = place.looks[0], best_loss(count, 1.0)
    if severity == "note":
        title = f"{place.name} is given log-probabilities: they are normalised twice, which changes nothing"
        fix = "Nothing needs to be done. nll_loss does the same without the second normalisation."
    else:
        title = (
            f"{place.name} is given probabilities ({look.low:.2g} to {look.high:.2g}) and takes their softmax again: "
            f"with {count} classes the loss can't go below {floor:.3g}"
        )
        fix = _FIX
    return Finding(
        rule="softmax-before-cross-entropy",
        severity=severity,
        title=title,
        parameters=graph.names(reached(graph, look.op)),
        link=10,
        causes=blamed(graph, op, place, "normalised"),
        evidence={
            "low": look.low,
            "high": look.high,
            "sums": [look.rows.low, look.rows.high],
            "classes": count,
            "floor": floor,
            "loss": look.result,
            "chance": math.log(count),
        },
        fix=fix,
        edits=without(graph.op_sites(op, "normalised", 0), *SOFTMAX)
        if severity == "error" and op >= 0
        else (),
    )


def _twice(graph: Graph) -> Iterator[Finding]:
    """A log-softmax, or the normalisation of a Categorical, over what a softmax gave."""
    seen: set[int] = set()
    for index, op in enumerate(graph.trace.ops):
        if op.kind in seen or name_of(graph, index) not in ("log_softmax", "logsumexp") or not op.ins:
            continue
        found = source(graph, op.ins[0])
        if name_of(graph, found.op) not in SOFTMAX or not found.same or not counts(graph, index):
            continue
        if name_of(graph, index) == "logsumexp" and not _subtracted(graph, op):
            continue
        seen.add(op.kind)
        yield Finding(
            rule="softmax-before-cross-entropy",
            severity="error",
            title=f"{graph.label(index)} is given probabilities that a softmax has made: they are normalised a second "
            "time, which leaves them nearly equal",
            parameters=graph.names(reached(graph, index)),
            link=10,
            causes=distinct(
                [*made_and_called(graph, found.op, "normalised"), *graph.op_sites(index, "again", 0)]
            )[:3],
            fix="Take one of them away: log_softmax and Categorical(logits=...) want the scores themselves, "
            "Categorical(probs=...) wants probabilities.",
        )


def _subtracted(graph: Graph, op: t.Op) -> bool:
    """Whether a logsumexp is taken away from what it was made of, as Categorical does."""
    users = [u for out in op.outs for u in graph.flow.consumers.get(out, ())]
    return any(name_of(graph, u) == "sub" and op.ins[0] in graph.trace.ops[u].ins for u in users)
