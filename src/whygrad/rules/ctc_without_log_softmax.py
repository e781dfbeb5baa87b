"""`ctc_loss` is given something else than log-probabilities.

## What it means

`ctc_loss` sums the probabilities of alignments: it expects `log_softmax` over the classes, at every time step. Its
backward is worked out for that case; for other scores z the gradient that it returns is the true one plus exp(z). With
small scores this acts like a normalisation and training may even work; with large ones exp(z) explodes.

## How to recognise it

The loss is negative, or falls below zero later, or becomes NaN. whygrad measures the logsumexp over the classes, which
is 0 for log-probabilities.

## Example

```python
scores = model(frames)                                    # [time, batch, classes]
loss = nn.CTCLoss()(scores, targets, frame_counts, target_lengths)
```

## Use instead

```python
scores = model(frames)
loss = nn.CTCLoss()(scores.log_softmax(dim=2), targets, frame_counts, target_lengths)
```

## Not this rule

Log-probabilities in half precision, whose sum is 1 only within a few hundredths, and log-probabilities from which
those of the labels were taken away.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.CTCLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.ctc_loss.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.losing import blamed, blamed_loss, places, probabilities, reached
from whygrad.graph.sources import SOFTMAX, logarithm_near, name_of, source

_OFF = 0.05  #: half precision leaves 0.02; scores of C classes at their initialisation are about log(C) off

EXPLAINS = ("first-nonfinite", "nonfinite-gradient")


def check(graph: Graph) -> Iterator[Finding]:
    """Scores, probabilities, or log-probabilities over another dimension."""
    for place in places(graph, "ctc_loss"):
        look = place.looks[0]
        if not place.all(lambda one: one.rows.logs > _OFF or one.rows.logs != one.rows.logs):
            continue
        if not _OFF < look.rows.logs < math.inf:
            continue
        found = source(graph, look.scores)
        name = name_of(graph, found.op)
        own = name in SOFTMAX or name == "log_softmax"
        if not own and logarithm_near(graph, look.scores, 3):
            continue  # log-probabilities with something taken away, such as those of the labels
        yield Finding(
            rule="ctc-without-log-softmax",
            severity="error",
            title=f"ctc_loss is given {_what(look, name)} instead of log-probabilities over the classes (logsumexp "
            f"{look.rows.logs:.3g} instead of 0): its loss is {look.result:.3g}",
            parameters=graph.names(reached(graph, look.op)),
            link=10,
            causes=blamed(graph, found.op, place, "normalised")
            if own
            else blamed_loss(graph, place, found.op, "scores"),
            evidence={
                "low": look.low,
                "high": look.high,
                "logsumexp": look.rows.logs,
                "losses": [one.result for one in place.looks],
            },
            fix="Take log_softmax over the last dimension, the classes, of what the loss is given ([time, batch, "
            "classes]).",
        )


def _what(look: t.LossLook, name: str) -> str:
    if probabilities(look) or name in SOFTMAX:
        return f"probabilities without their logarithm ({look.low:.2g} to {look.high:.2g})"
    if name == "log_softmax":
        return "a log_softmax over another dimension"
    return f"raw scores ({look.low:.2g} to {look.high:.2g})"
