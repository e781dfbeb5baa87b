"""A sigmoid in front of a loss that takes the sigmoid itself.

## What it means

`binary_cross_entropy_with_logits` takes scores of any size. Given probabilities between 0 and 1 it takes the sigmoid a
second time, which then lies between 0.5 and 0.73: the loss can't go below 0.31 for a positive and 0.69 for a negative
example, and the model can never say no.

## How to recognise it

The loss stays near 0.69, or near 0.5 for balanced classes, and predictions taken as `sigmoid(output) > 0.5` are all
positive.

## Example

```python
model = nn.Sequential(nn.Linear(20, 1), nn.Sigmoid())
loss = nn.BCEWithLogitsLoss()(model(x), y)
```

## Use instead

```python
model = nn.Sequential(nn.Linear(20, 1))
loss = nn.BCEWithLogitsLoss()(model(x), y)
```

## Not this rule

A sigmoid before `binary_cross_entropy`, a gate inside the model, or a sigmoid for a second loss (Dice) beside.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Sigmoid.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.losing import blamed, once, places, reached, within
from whygrad.graph.mending import without
from whygrad.graph.sources import SOFTMAX, name_of, source

_SQUEEZED = {"sigmoid", "special_expit", "expit", "hardsigmoid", *SOFTMAX}
_DIVISIONS = {"reciprocal", "rtruediv", "rdiv", "div", "truediv"}


def check(graph: Graph) -> Iterator[Finding]:
    """Probabilities that are taken for scores."""
    yield from once(_each(graph))


def _each(graph: Graph) -> Iterator[Finding]:
    for place in places(graph, "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss"):
        look = place.looks[0]
        found = source(graph, look.scores)
        name = name_of(graph, found.op)
        if name not in _SQUEEZED and not (name in _DIVISIONS and _logistic(graph, found.op)):
            continue
        if not found.same or not place.all(lambda one: within(one, 0, 1)):
            continue
        what = name if name in _SQUEEZED else "a division"
        yield Finding(
            rule="sigmoid-before-bce-with-logits",
            severity="error",
            title=f"{place.name} is given probabilities ({look.low:.2g} to {look.high:.2g}, from {what}) and takes their "
            "sigmoid again: it can only say 0.5 to 0.73",
            parameters=graph.names(reached(graph, look.op)),
            link=10,
            causes=blamed(graph, found.op, place, "squeezed"),
            evidence={
                "low": look.low,
                "high": look.high,
                "loss": look.result,
                "floor_positive": 0.3133,
                "floor_negative": 0.6931,
            },
            fix="Give it the scores as they come out of the last layer (or keep the sigmoid and use "
            "binary_cross_entropy, which is less exact); take the sigmoid where probabilities are wanted.",
            edits=without(graph.op_sites(found.op, "squeezed", 0), *_SQUEEZED),
        )


def _logistic(graph: Graph, op: int) -> bool:
    """Whether a division is by 1 + exp(...)."""
    makers = [graph.trace.values[v].op for v in graph.trace.ops[op].ins]
    sums = [m for m in makers if name_of(graph, m) in ("add", "radd")]
    return any(
        name_of(graph, graph.trace.values[v].op) == "exp" for m in sums for v in graph.trace.ops[m].ins
    )
