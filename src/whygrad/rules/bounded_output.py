"""The output passes an activation that can't reach the targets.

## What it means

A sigmoid gives 0 to 1, tanh -1 to 1, ReLU nothing below 0. As the last layer of a regression whose targets go beyond,
the model can never be right about those, and its activation saturates in trying. On the scores for `cross_entropy` or
`binary_cross_entropy_with_logits`, which may be of any size, such a bound limits how sure the model can be; behind a
ReLU a class whose score is 0 gets no gradient any more.

## How to recognise it

The loss stops at a value that is far from 0, and the predictions pile up at the bound. whygrad compares the range of the
activation with the quantiles of the targets: the squared error that no output can avoid, as a share of the targets'
variance. For targets of 0 and 1 (or -1 and 1) with noise of deviation 0.02 to 0.1 around them it was at most 0.011 in 18
trainings, for images in their range 0 in 6; for images normalised to mean 0 it was 0.09 to 0.46 in 9, for standardised
targets 0.03 (a normal distribution and tanh) to 0.76 (a skewed one and sigmoid) in 4. A warning is given from 0.05, an
error from 0.15.

## Example

```python
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())
loss = F.mse_loss(model(x), price)             # 3 to 500
```

## Use instead

```python
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
loss = F.mse_loss(model(x), price)
```

or bring the targets into the range of the activation.

## Not this rule

An activation whose result is stretched to the range of the targets (`2 * tanh(x)`, `10 * tanh(scores)`), and targets
that stay inside.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Sigmoid.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.bounds import Bound, bound, squares, unreachable
from whygrad.graph.losing import Place, best_loss, blamed, classes, once, places, reached
from whygrad.graph.sources import name_of

_REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "sub")
_SCORES = ("cross_entropy", "binary_cross_entropy_with_logits")
_WARN, _ERROR = 0.05, 0.15  #: share of the targets' variance that can't be reached; see above
_SURE = 0.9  #: a classifier that can't get this sure of a class, by its range, is held back


def check(graph: Graph) -> Iterator[Finding]:
    """Regressions whose targets lie outside, and scores that are held in a range."""
    yield from once(_each(graph))


def _each(graph: Graph) -> Iterator[Finding]:
    for place in places(graph, *_REGRESSION):
        found = bound(graph, place.looks[0].scores)
        if found is None or (place.name == "sub" and not squares(graph, place.looks[0].op)):
            continue
        if any(look.carries for look in place.looks):
            continue
        share = min(unreachable(found, look) for look in place.looks)
        if share >= _WARN:
            yield _regression(graph, place, found, share)
    for place in places(graph, *_SCORES):
        found = bound(graph, place.looks[0].scores)
        if found is not None:
            yield from _scores(graph, place, found)


def _regression(graph: Graph, place: Place, found: Bound, share: float) -> Finding:
    spread = [look.spread for look in place.looks if look.spread]
    low, high = min(s[0] for s in spread), max(s[-1] for s in spread)
    name = name_of(graph, found.op)
    return Finding(
        rule="bounded-output",
        severity="error" if share >= _ERROR else "warning",
        title=f"{name} lets the output go from {found.low:g} to {found.high:g}, but the targets go from {low:.3g} to "
        f"{high:.3g}: {share:.0%} of their variance can't be reached",
        parameters=graph.names(reached(graph, place.looks[0].op)),
        link=10,
        causes=blamed(graph, found.op, place, "bounded"),
        evidence=_evidence(place, found) | {"target_low": low, "target_high": high, "unreachable": share},
        fix=f"Leave {name} out at the output of a regression, or scale the targets into its range.",
    )


def _scores(graph: Graph, place: Place, found: Bound) -> Iterator[Finding]:
    look, name = place.looks[0], name_of(graph, found.op)
    count = classes(graph, look) if place.name == "cross_entropy" else 2
    one_sided = found.high == float("inf")
    if name in ("softmax", "softmin", "gumbel_softmax", "sigmoid") and (
        place.name != "cross_entropy" or name != "sigmoid"
    ):
        return  # softmax-before-cross-entropy and sigmoid-before-bce-with-logits tell of these
    if one_sided and not _held_down(place, found):
        return
    span = found.high - found.low if place.name == "cross_entropy" else min(abs(found.high), abs(found.low))
    floor = best_loss(count, span) if span != float("inf") else 0.0
    if count < 2 or (not one_sided and floor < -math.log(_SURE)):
        return
    held = f"with {count} classes the loss can't go below {floor:.3g}"
    dead = f"{look.edge:.0%} of the {'own classes' if place.name == 'cross_entropy' else 'scores'} get exactly 0 and no gradient"
    yield Finding(
        rule="bounded-output",
        severity="warning" if one_sided else "error",
        title=f"{name} holds the scores for {place.name} between {found.low:g} and {found.high:g}: "
        f"{dead if one_sided else held}",
        parameters=graph.names(reached(graph, look.op)),
        link=10,
        causes=blamed(graph, found.op, place, "bounded"),
        evidence=_evidence(place, found) | {"classes": count, "floor": floor, "at_zero": look.edge},
        fix=f"Give the loss the scores as they come out of the last layer, without {name}: they may be of any size.",
    )


def _held_down(place: Place, found: Bound) -> bool:
    """Whether a one-sided bound at 0 was met: some of the scores lie at it, or all on the side of one answer."""
    return found.low > -0.5 and place.all(lambda one: one.edge > 0.02 or one.low >= found.low)


def _evidence(place: Place, found: Bound) -> dict[str, object]:
    looks: tuple[t.LossLook, ...] = place.looks
    return {
        "lowest": found.low,
        "highest": found.high,
        "output_low": min(one.low for one in looks),
        "output_high": max(one.high for one in looks),
        "losses": [one.result for one in looks],
    }
