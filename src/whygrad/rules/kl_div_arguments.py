"""`kl_div` is given something else than its arguments: log-probabilities first, then probabilities.

## What it means

`kl_div(input, target)` computes target * (log(target) - input). The input must be LOG-probabilities (of the model), the
target probabilities, or log-probabilities with `log_target=True`. Nothing is checked: with probabilities or scores as
the input the number that comes out is no divergence, its least value is not at equal distributions, and the gradient
pushes the wrong way or not at all. A target of logarithms without `log_target` gives NaN.

## How to recognise it

The loss is negative, which a divergence never is, or NaN, and it does not reach 0 for equal distributions. whygrad
measures over which dimension, if any, the numbers (or their exponentials) sum to 1.

## Example

```python
loss = F.kl_div(F.softmax(student, dim=1), F.softmax(teacher, dim=1))
loss = F.kl_div(F.softmax(teacher, dim=1), F.log_softmax(student, dim=1))        # swapped
```

## Use instead

```python
loss = F.kl_div(F.log_softmax(student, dim=1), F.softmax(teacher, dim=1), reduction="batchmean")
```

## Not this rule

The divergence in the other direction, with both arguments in their form. `reduction="mean"` divides by the classes as
well, which makes the loss smaller, not wrong (a note).

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.KLDivLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.kl_div.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph
from whygrad.graph.losing import Place, blamed, blamed_loss, places, reached, within
from whygrad.graph.sources import name_of, source

_OFF = 0.05  #: half precision leaves 0.02

EXPLAINS = ("first-nonfinite", "nonfinite-gradient")


def check(graph: Graph) -> Iterator[Finding]:
    """What the two arguments are, as measured."""
    for place in places(graph, "kl_div"):
        look = place.looks[0]
        log_target = graph.flow.kind(look.op).args.get("log_target") == "True"
        wrong = _wrong(place, log_target)
        mean = graph.flow.kind(look.op).args.get("reduction") == "mean"
        if not wrong and not (mean and len(graph.trace.values[look.scores].shape) > 1):
            continue
        yield Finding(
            rule="kl-div-arguments",
            severity="error" if wrong else "note",
            title=f"kl_div: {wrong}; its result is {look.result:.3g}"
            if wrong
            else "kl_div: reduction='mean' divides by the number of classes as well; 'batchmean' is the divergence",
            parameters=graph.names(reached(graph, look.op)),
            link=10,
            causes=_causes(graph, place, wrong),
            evidence={
                "input_low": look.low,
                "input_high": look.high,
                "input_sum_off": look.rows.off,
                "input_logsumexp": look.rows.logs,
                "target_low": look.spread[0] if look.spread else None,
                "target_high": look.spread[-1] if look.spread else None,
                "target_sum_off": look.goals.off,
                "losses": [one.result for one in place.looks],
            },
            fix="Give it the log-probabilities of the model first (F.log_softmax), then the probabilities to be matched "
            "(F.softmax), or their logarithms with log_target=True.",
        )


def _wrong(place: Place, log_target: bool) -> str:
    """In words what is wrong at every look; empty if nothing is."""
    plain = place.all(lambda one: within(one, 0, 1, 1e-3) and one.rows.off < _OFF)
    scores = place.all(lambda one: one.high > 1e-3 and _OFF < one.rows.logs < math.inf)
    logs_given = place.all(_negative_target)
    plain_given = place.all(lambda one: bool(one.spread) and one.spread[0] >= 0 and one.goals.off < _OFF)
    if plain and logs_given and not log_target:
        return "its arguments are swapped: the input are probabilities, the target logarithms"
    if plain or scores:
        what = "probabilities" if plain else "scores"
        first = place.looks[0]
        return f"the input are {what} ({first.low:.2g} to {first.high:.2g}), no log-probabilities"
    if logs_given and not log_target:
        low = min(one.spread[0] for one in place.looks)
        return f"the target has negative numbers (down to {low:.2g}), so it is no probabilities, and log_target is not set"
    if plain_given and log_target:
        return "the target are probabilities, but log_target is set"
    return ""


def _negative_target(look: t.LossLook) -> bool:
    return bool(look.spread) and look.spread[0] < -1e-3


def _causes(graph: Graph, place: Place, wrong: str) -> tuple[Site, ...]:
    look = place.looks[0]
    found = source(graph, look.scores)
    if wrong.startswith("the input") and name_of(graph, found.op) == "softmax":
        own = blamed(graph, found.op, place, "no logarithm")
        return (*[s for s in own if s.role == "loss"], *[s for s in own if s.role != "loss"])
    if wrong.startswith("the input"):
        return blamed_loss(graph, place, found.op, "input")
    target = source(graph, look.target)
    return blamed_loss(graph, place, target.op, "target")
