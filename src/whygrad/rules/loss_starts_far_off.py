"""The first loss is many times what a model that knows nothing should get.

## What it means

A freshly made classifier should give every class about the same probability: its first cross-entropy is ln C for C
classes (2.3 for 10). A regression should begin near the variance of its targets. A first loss far above that says that
the model is not undecided but decidedly wrong: outputs of a scale that fits neither the targets nor the loss, inputs
that were not normalised, or an initialisation that is too large. The first steps are then spent on undoing it.

## How to recognise it

Compare the loss of the first step with `math.log(C)`, or with the loss of predicting the mean of the targets.

## Example

```python
model = nn.Linear(784, 10)
loss = F.cross_entropy(model(images * 255), labels)   # 60 instead of 2.3
```

## Use instead

```python
loss = F.cross_entropy(model((images - images.mean()) / images.std()), labels)
```

## Not this rule

A loss below that level (the model has been trained before), sums over many samples, and losses whose level is not
known. Only `whygrad.check()` asks this question. Of 80 freshly made models (linear,
convolutional and BatchNorm layers, 2 to 100 classes, two regressions; inputs of unit variance) the first loss lay
between 0.97 and 1.57 times that level; this speaks from 5 times on.

## References

- https://karpathy.github.io/2019/04/25/recipe/ (verify loss at init)
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.harm import guess, series

_TIMES = 5.0


def check(graph: Graph) -> Iterator[Finding]:
    """The first loss of a check, beside that of a guess: equal probabilities, or the best constant answer."""
    checked = graph.trace.learning.checked
    level = guess(graph) if checked is not None and not checked.of_step else None
    if level is None:
        return
    first = series(graph)[0]
    if first < _TIMES * level.guess:
        return
    classes = level.name in ("cross_entropy", "nll_loss") or level.name.startswith("binary_cross_entropy")
    told = "equal probabilities for all classes give" if classes else "the mean of the targets gives"
    yield Finding(
        rule="loss-starts-far-off",
        severity="warning",
        title=f"The first loss is {first:.3g}, where {told} {level.guess:.3g}",
        link=10,
        causes=graph.sites(graph.trace.backwards[0].stack, "loss"),
        evidence={"first_loss": first, "uninformed_loss": level.guess},
        fix="Normalise the inputs to about zero mean and unit variance, and make the last layer's first outputs small.",
    )
