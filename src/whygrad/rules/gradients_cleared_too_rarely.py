"""The gradients are cleared more rarely than the optimizer steps.

## What it means

A pass whose gradient an optimizer has used once is used again by the next step, since `zero_grad` stands outside the
loop that steps (once an epoch, or before the loop), or only comes every few steps. Step k after a clearing uses the sum
of k gradients, most of them computed at weights that are gone.

## How to recognise it

The norm of `.grad` at the step grows until `zero_grad` is called, then starts again.

## Example

```python
for epoch in range(10):
    optimizer.zero_grad()
    for x, y in loader:
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
```

## Use instead

```python
for epoch in range(10):
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
```

## Not this rule

Accumulation, where `step` and `zero_grad` are both called once for several passes; a gradient that is made smaller by
hand between the steps; a second optimizer that steps on the same gradient.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
- https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.clearing import stale_steps


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters of which several steps used gradients that an earlier one had used, though something clears them."""
    for stale in stale_steps(graph):
        if stale.always and stale.zeroed < 0:
            continue
        yield Finding(
            rule="gradients-cleared-too-rarely",
            severity="error",
            title=f"{graph.count(stale.params)}: {stale.again} of {stale.steps} steps used gradients that an earlier "
            "step had used already",
            parameters=graph.names(stale.params),
            link=10,
            causes=stale.sites(graph),
            evidence=stale.evidence(),
            fix="Call zero_grad() once for every step(), in the same loop.",
        )
