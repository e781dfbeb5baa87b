"""The targets are numbers that the loss is not made for, or that the model can't reach in sensible time.

## What it means

Three kinds are told of.

- `binary_cross_entropy_with_logits` wants targets from 0 to 1 and does not check it. With 2, or 255 (a mask read from an
  image), or -1, the loss has no least value: it falls below zero and goes on falling, as the scores go to infinity.
- `soft_margin_loss`, `hinge_embedding_loss`, `margin_ranking_loss` and `cosine_embedding_loss` want 1 and -1. A target of 0
  gives a constant, or the wrong part of the loss, and nothing is learned of half of the samples.
- Regression targets in the thousands, and a model whose outputs start near 0 and move by a bounded step (Adam and its
  kin): the last bias alone would need as many steps as the target is larger than the learning rate.

## How to recognise it

The loss is negative; or it is large and does not move. For the third kind whygrad compares what a step can change of the
loss, at most (the norms of gradient and update, multiplied and summed up), with the loss itself. A warning is given where
that would take more than 100,000 steps while the error is still as large as the targets, these being above 1,000. In
healthy trainings on targets below 10 it was 10 to 4,200 (87 losses whose error was still as large as the targets; the
median was 260 or less).

## Example

```python
mask = torch.from_numpy(cv2.imread("mask.png", 0)).float()      # 0 and 255
loss = F.binary_cross_entropy_with_logits(net(image), mask)
```

## Use instead

```python
mask = torch.from_numpy(cv2.imread("mask.png", 0)).float() / 255
loss = F.binary_cross_entropy_with_logits(net(image), mask)
```

Regression: subtract the mean of the targets and divide by their standard deviation; scale the predictions back.

## Not this rule

Smoothed labels, probabilities as targets. Large targets that the model comes nearer to in each step.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.SoftMarginLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.CosineEmbeddingLoss.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind import behind
from whygrad.graph.targets import made, places, sites

_SIGNS = ("soft_margin_loss", "hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss")
_POWERS = {"mse_loss": 2.0, "l1_loss": 1.0, "smooth_l1_loss": 1.0, "huber_loss": 1.0}
_LARGE = 1e3  #: targets beyond this are of another scale than a fresh network's outputs
_STEPS = 1e5


def check(graph: Graph) -> Iterator[Finding]:
    """Losses whose targets lie outside of what they are made for; then targets that are too far away."""
    for looks in places(graph):
        one = looks[-1]
        low, high = min(look.low for look in looks), max(look.high for look in looks)
        if one.name == "binary_cross_entropy_with_logits" and (low < 0 or high > 1):
            why = "this loss wants 0 to 1, and has no least value for others"
            yield _finding(graph, one, low, high, "error", why, "Bring the targets to 0 and 1 (divide by 255, subtract 1, "
                           "(y + 1) / 2, ...).")  # fmt: skip
        elif one.name in _SIGNS and low == 0 and high == 1:
            why = "this loss wants 1 and -1; nothing right is learned of the zeros"
            yield _finding(graph, one, low, high, "error", why, "Use 2 * y - 1.")
        elif one.name in _POWERS and max(abs(low), abs(high)) > _LARGE:
            steps = _steps(graph, one, max(abs(low), abs(high)))
            if steps > _STEPS:
                why = f"at the present rate the outputs need about {steps:.0e} steps to get there"
                yield _finding(graph, one, low, high, "warning", why, "Scale the targets: subtract their mean and divide by "
                               "their standard deviation.")  # fmt: skip


def _finding(
    graph: Graph, look: t.TargetLook, low: float, high: float, severity: str, why: str, fix: str
) -> Finding:
    return Finding(
        rule="targets-do-not-fit",
        severity="error" if severity == "error" else "warning",
        title=f"the targets of `{look.name}` go from {low:g} to {high:g}: {why}",
        parameters=graph.names(behind(graph, look.op)),
        link=10,
        causes=distinct([*sites(graph, look, "loss"), *made(graph, look, "targets")])[:4],
        evidence={"low": low, "high": high},
        fix=fix,
    )


def _steps(graph: Graph, look: t.TargetLook, size: float) -> float:
    """How many steps the loss is away from zero, at most that much a step; 0 where it has come near already, or where
    backward was given something else than this loss."""
    own = set(graph.trace.ops[look.op].outs)
    passes = [b for b in graph.trace.backwards if own & set(b.losses)]
    if not passes or passes[-1].loss is None or passes[-1].loss < (0.3 * size) ** _POWERS[look.name]:
        return 0.0
    losses = [b.loss for b in graph.trace.backwards if b.loss is not None and b.stack == passes[-1].stack]
    moves = [
        sum((r.grad or 0.0) * r.update for r in step.params)
        for step in graph.trace.steps
        if step.params and all(math.isfinite(r.update) for r in step.params)
    ]
    move = median(moves) if moves else 0.0
    return median(losses) * _POWERS[look.name] / move if move > 0 else 0.0
