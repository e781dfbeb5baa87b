"""Every step is taken on top of all earlier gradients: nothing ever clears them.

## What it means

`backward` adds to `.grad`. Where nobody clears it, step k uses the sum of the gradients of all k passes, computed at
weights that are long gone. The steps grow with their number and go where the model used to be wrong; the loss swings,
and with a plain optimizer it often explodes.

## How to recognise it

The norm of `.grad` at the step grows and grows, while the gradient that a single pass brings does not.

## Example

```python
for x, y in loader:
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
```

## Use instead

```python
for x, y in loader:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
```

## Not this rule

Several passes before one step (accumulation, two losses), as long as something clears afterwards, in whichever way:
`zero_grad` of the optimizer, of the model, of another optimizer with the same parameters, or `p.grad = None`. A momentum
written by hand, that makes the old gradient smaller at each step. What counts is what a pass found in `.grad`.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
- https://docs.pytorch.org/tutorials/recipes/recipes/zeroing_out_gradients.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.clearing import stale_steps


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters of which every step after the first used gradients that an earlier one had used already."""
    for stale in stale_steps(graph):
        if not stale.always or stale.zeroed >= 0:
            continue
        yield Finding(
            rule="gradients-never-cleared",
            severity="error",
            title=f"{graph.count(stale.params)}: their gradients are never cleared, step {stale.steps} used those of "
            f"{stale.passes} passes",
            parameters=graph.names(stale.params),
            link=10,
            causes=stale.sites(graph),
            evidence=stale.evidence(),
            fix="Call optimizer.zero_grad() before backward() (or after step()) in every iteration.",
        )
