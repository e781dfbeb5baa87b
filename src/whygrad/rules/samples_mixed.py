"""The output of one sample depends on the input of another one of the batch.

## What it means

The input of one sample was exchanged, in evaluation mode, and the outputs of others changed too. So the model
mixes samples somewhere: a `view` or `reshape` where `transpose` was meant, a recurrent or attention layer whose time and
batch dimensions are swapped, a softmax or mean over dimension 0. It trains on something, and gives other answers in
batches of other samples.

## How to recognise it

A sample gets another prediction alone than in a batch, in evaluation mode.

## Example

```python
h = h.view(h.size(1), h.size(0), -1)      # [batch, time] read as [time, batch]
```

## Use instead

```python
h = h.transpose(0, 1)
```

## Not this rule

Batch normalisation in training mode, and models that are meant to compare the samples of a batch: contrastive learning,
set and in-context models, message passing between the samples. Only `whygrad.check()` asks this question; ignore the
rule there for such a model.

## References

- https://karpathy.github.io/2019/04/25/recipe/ (use backprop to chart dependencies)
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph


def check(graph: Graph) -> Iterator[Finding]:
    """What exchanging one sample showed."""
    checked = graph.trace.learning.checked
    if checked is None or not checked.mixed:
        return
    where = f"; the first to mix them is {checked.module}" if checked.module else ""
    file, line, function = checked.place or ("", 0, "")
    yield Finding(
        rule="samples-mixed",
        severity="warning",
        title=f"Exchanging sample {checked.exchanged} of the batch changes the outputs of {len(checked.mixed)} "
        f"of the {checked.samples - 1} others{where}",
        link=10,
        causes=(Site(file, line, function, role="mixes samples"),) if checked.place else (),
        evidence={"exchanged": checked.exchanged, "changed": list(checked.mixed), "change": checked.change},
        fix="Look for a view or reshape that swaps dimensions, a layer that takes the batch for the time "
        "(batch_first), or a softmax or mean over dimension 0.",
    )
