"""The gradients are cleared between backward() and step().

## What it means

`backward` brought a gradient, and something took it away before the optimizer looked: `zero_grad`, `p.grad = None`, or
a write into `.grad`. The step sees nothing, so that plain SGD does nothing, and AdamW only decays the weights.

## How to recognise it

Gradients are there right after `backward`, and `None` or zero in `optimizer.step`.

## Example

```python
loss.backward()
optimizer.zero_grad()
optimizer.step()
```

## Use instead

```python
optimizer.zero_grad()
loss.backward()
optimizer.step()
```

## Not this rule

Clearing after `step`, or only after the last of several accumulated batches; clearing another model's gradients.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
- https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters that got a gradient, had none left when the optimizer stepped, and what cleared it in between."""
    cleared = [(event, i) for i in graph.sick(7) if (event := _cleared(graph, i)) is not None]
    for stack, indices in group((event.stack, i) for event, i in cleared):
        norm = max(g.norm for i in indices for _, g in graph.gradients.of[i])
        yield Finding(
            rule="gradients-cleared-before-step",
            severity="error",
            title=f"{graph.count(indices)}: their gradients are cleared after backward() and before step()",
            parameters=graph.names(indices),
            link=7,
            causes=graph.sites(int(str(stack)), "cleared", 1),
            evidence={"grad_norm": norm, "grad_norm_at_step": None, "weight_change": 0.0},
            fix="Call zero_grad() before backward() or after step(), never between them.",
        )


def _cleared(graph: Graph, index: int) -> t.Event | None:
    """The last event that took the gradient away between a backward pass and the step after it."""
    trace = graph.trace
    rows = graph.updates.rows.get(index, [])
    empty = [number for number, row in rows if not row.grad]
    if not empty:
        return None
    tick = trace.steps[empty[-1]].tick
    passes = [b for b in graph.gradients.reached.get(index, ()) if trace.backwards[b].tick < tick]
    if not passes or passes[-1] not in {b for b, _ in graph.gradients.good(index)}:
        return None
    events = [*graph.updates.touching("zero-grad", index), *graph.updates.touching("grad-set", index)]
    between = [e for e in events if trace.backwards[passes[-1]].tick < e.tick < tick]
    return max(between, key=lambda e: e.tick, default=None)
