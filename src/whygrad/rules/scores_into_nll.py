"""`nll_loss` is given something else than log-probabilities.

## What it means

`nll_loss` only picks the number of the right class and turns its sign: it expects the result of `log_softmax`. Given raw
scores it raises the score of the right class without lowering any other, so that the loss falls without end and the
scores of all classes grow. Given probabilities without the logarithm its gradient is tiny where the model is most wrong.

## How to recognise it

The loss is negative: the loss of log-probabilities never is. whygrad measures the logsumexp over the classes, which is
0 for log-probabilities.

## Example

```python
scores = model(x)
loss = nn.NLLLoss()(scores, y)
```

## Use instead

```python
scores = model(x)
loss = nn.CrossEntropyLoss()(scores, y)       # or NLLLoss on F.log_softmax(scores, dim=1)
```

## Not this rule

Logarithms of something that need not sum to 1 (a slice of the classes, a mixture), and `nll_loss` used to pick scores
whose `logsumexp` is added beside.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSoftmax.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.losing import blamed, blamed_loss, classes, once, places, probabilities, reached
from whygrad.graph.sources import SOFTMAX, logarithm_near, name_of, source

_OFF = 0.05  #: half precision leaves 0.02; scores of C classes at their initialisation are about log(C) off

EXPLAINS = ("first-nonfinite", "nonfinite-gradient")


def check(graph: Graph) -> Iterator[Finding]:
    """Scores or probabilities where log-probabilities are expected."""
    yield from once(_each(graph))


def _each(graph: Graph) -> Iterator[Finding]:
    for place in places(graph, "nll_loss"):
        look = place.looks[0]
        found = source(graph, look.scores)
        plain = place.all(probabilities)
        off = look.rows.logs < math.inf and place.all(lambda one: one.rows.logs > _OFF)
        raw = off and any(one.high > 1e-3 for one in place.looks)
        negative = off and not raw
        if classes(graph, look) < 2 or not (plain or raw or negative):
            continue
        if not plain and (
            logarithm_near(graph, look.scores) or _normalised_beside(graph, found.op, look.scores)
        ):
            continue
        what = "probabilities without their logarithm" if plain else "raw scores"
        causes = (
            blamed(graph, found.op, place, "no logarithm")
            if name_of(graph, found.op) in SOFTMAX
            else blamed_loss(graph, place, found.op, "scores")
        )
        yield Finding(
            rule="scores-into-nll",
            severity="warning" if negative else "error",
            title=f"nll_loss is given {what} ({look.low:.2g} to {look.high:.2g}) instead of log-probabilities: its loss "
            f"is {look.result:.3g}, and nothing keeps the other classes down",
            parameters=graph.names(reached(graph, look.op)),
            link=10,
            causes=causes,
            evidence={
                "low": look.low,
                "high": look.high,
                "logsumexp": look.rows.logs,
                "loss": look.result,
                "losses": [one.result for one in place.looks],
            },
            fix="Use cross_entropy on the scores, or take log_softmax over the classes before nll_loss.",
        )


def _normalised_beside(graph: Graph, op: int, scores: int) -> bool:
    """Whether the logsumexp of the same scores is taken as well (a cross-entropy in two parts)."""
    values = {scores, *(graph.trace.ops[op].outs if op >= 0 else ())}
    return any(
        name_of(graph, user) == "logsumexp" for v in values for user in graph.flow.consumers.get(v, ())
    )
