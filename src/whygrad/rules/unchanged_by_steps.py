"""The steps find a gradient and leave the parameter as it is, for no reason that another rule knows.

## What it means
An optimizer holds the parameter, its gradient and its learning rate are above zero, and yet after every ``step()`` the
values are bit for bit what they were. Either the update is too small for a float32 (a rate of 1e-12 against weights of 1),
or ``step`` does not update: a class of one's own that returns early, a wrapper that steps only every so often.

## How to recognise it
``before = p.detach().clone(); optimizer.step(); torch.equal(before, p)`` is True.

## Example
```python
optimizer = torch.optim.Adam(model.parameters(), lr=1e-12)
```

## Use instead
```python
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
```

## Not this rule
Half-precision parameters (``update-below-resolution``), a rate of exactly 0 (``learning-rate-zero``), gradients that are
nothing but rounding noise beside the others, such as those of the bias of attention keys.

## References
- https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step
- https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Full-precision parameters, gradient and learning rate above zero, that no step changed."""
    params = graph.trace.params
    found = []
    for index in graph.sick(9):
        rows = graph.updates.rows.get(index, [])
        rates = [r for n, _ in rows for r in graph.trace.steps[n].lrs]
        half = params[index].dtype in ("bfloat16", "float16")
        still = rows and not half and not any(graph.updates.moved(r) for _, r in rows)
        if still and any(rates) and not graph.updates.noise(index):
            found.append((graph.updates.holders[index][0][0], index))
    for number, indices in group(found):
        optimizer = graph.trace.optimizers[number]
        stepped = [s.stack for s in graph.trace.steps if s.optimizer == number][-1:]
        yield Finding(
            rule="unchanged-by-steps",
            severity="warning",
            title=f"{graph.count(indices)} have gradients and are not changed by {optimizer.kind}.step()",
            parameters=graph.names(indices),
            link=9,
            causes=(
                *graph.sites(optimizer.created, "optimizer", 1),
                *(s for k in stepped for s in graph.sites(k, "step", 0)),
            ),
            evidence={"grad_norm": graph.updates.rows[indices[0]][-1][1].grad, "weight_change": 0.0},
            fix="Look at what this optimizer does with the gradient: a learning rate too small to change a float32, or a "
            "step() of its own that returns early.",
        )
