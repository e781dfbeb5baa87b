"""The losses of several batches are added up in the gradients without being divided by their number.

## What it means

`backward` adds up. When k batches go into one step, and each loss is a mean over its batch, the gradient is k times
the mean gradient. With SGD that is a learning rate k times as large as the one that is written down: often too large.
Clipping, and weight decay that is part of the gradient, are out of proportion too.

## How to recognise it

The gradient's norm at the step is several times that of a single batch, and grows with the number of batches.

## Example

```python
for i, (x, y) in enumerate(loader):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    if (i + 1) % 16 == 0:
        optimizer.step()
        optimizer.zero_grad()
```

## Use instead

```python
    loss = F.mse_loss(model(x), y) / 16
```

## Not this rule

A loss that is divided (or whose gradients are, before the step); sums instead of means; different losses, one after the
other; parts of one graph, such as the time steps of a recurrent network. With Adam and its like a common factor cancels:
then this is a note, unless clipping or weight decay meets the sum.

## References

- https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
- https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.undivided import undivided


def check(graph: Graph) -> Iterator[Finding]:
    """Steps over k passes of one place, each with a mean loss that no factor near 1/k makes smaller."""
    for found in undivided(graph):
        yield Finding(
            rule="accumulation-without-dividing",
            severity="warning" if found.harm else "note",
            title=f"{graph.count(found.params)}: each step adds up {found.passes} mean losses without dividing by "
            f"{found.passes}" + (f"; {found.harm}" if found.harm else ""),
            parameters=graph.names(found.params),
            link=10,
            causes=distinct(
                [*graph.sites(found.backward, "added up", 0), *graph.op_sites(found.op, "loss", 0)]
            ),
            evidence={
                "passes": found.passes,
                "grad_norm_at_step": found.norm,
                "mean_grad_norm_of_one_pass": found.single,
            },
            fix=f"Divide the loss by the number of batches that go into a step: (loss / {found.passes}).backward().",
        )
