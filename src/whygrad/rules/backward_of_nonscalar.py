"""Backward was called on a tensor with several elements and without a gradient to start from.

## What it means

`backward` starts from the derivative of the loss by itself, which is 1 for a single number. For several numbers it
needs to be told how they are weighted: "grad can be implicitly created only for scalar outputs". Usually a loss was
left per sample and was meant to be averaged, or the model's output was given instead of a loss.

## How to recognise it

`loss.shape` is not empty. Look for `reduction="none"`, and for losses of one's own without `.mean()`.

## Example

```python
loss = F.cross_entropy(model(x), y, reduction="none")
loss.backward()
```

## Use instead

```python
loss = F.cross_entropy(model(x), y, reduction="none").mean()
loss.backward()
```

## Not this rule

`loss.backward(gradient=weights)` says how the elements are weighted, and raises nothing. A tensor with one element is
a scalar here, whatever its shape.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
- https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import made, nearest, raised, sized


def check(graph: Graph) -> Iterator[Finding]:
    """Where the loss was computed, and where backward was called on it."""
    error = raised(graph, "grad can be implicitly created only for scalar outputs")
    if error is None or not graph.trace.backwards:
        return
    losses = graph.trace.backwards[-1].losses
    loss = next((v for v in losses if graph.trace.values[v].shape), losses[0] if losses else -1)
    op = graph.trace.values[loss].op if loss >= 0 else -1
    shape = graph.trace.values[loss].shape if loss >= 0 else ()
    by = f", the result of {graph.label(op)}" if op >= 0 else ""
    kept = op >= 0 and "none" in graph.flow.kind(op).args.values()
    places: list[Site] = []
    if loss >= 0:
        places += (
            graph.op_sites(op, "loss", 2)
            if op >= 0
            else nearest(graph, made(graph, loss), error.stack, "loss")
        )
    yield Finding(
        rule="backward-of-nonscalar",
        severity="error",
        title=f"backward was called on a tensor of shape {sized(shape)}{by}, not on a single number",
        causes=distinct([*places, *graph.sites(error.stack, "backward", 0)]),
        evidence={"shape": list(shape)},
        fix='Use reduction="mean", or take .mean() of it.' if kept else "Take .mean() or .sum() of it first.",
    )
