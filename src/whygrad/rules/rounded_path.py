"""Rounding has a derivative of zero.

## What it means

`round`, `floor`, `ceil`, `trunc`, `sign` and `bernoulli` are flat between their steps. Autograd follows them and
multiplies the gradient by 0: there is a `grad_fn`, and the gradient is a tensor of exact zeros.

## How to recognise it

`parameter.grad` is all zeros (not `None`) for every parameter before the rounding.

## Example

```python
quantised = torch.round(weight / scale) * scale
```

## Use instead

```python
quantised = torch.round(weight / scale) * scale
quantised = weight + (quantised - weight).detach()       # the rounded value, the gradient of the weight
```

## Not this rule

Rounding inside a straight-through estimator, in a custom Function with its own `backward`, or for display.
`torch.fake_quantize_per_tensor_affine` hands the gradient through.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.round.html
- https://arxiv.org/abs/1308.3432 (the straight-through estimator)
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, vanished


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose gradient ends at round, floor, ceil, sign or the like."""
    for group in vanished(graph, "rounded"):
        loss = group.losses[0]
        name = graph.label(loss.op) if loss.op >= 0 else loss.name
        yield Finding(
            rule="rounded-path",
            severity="error",
            title=f"{graph.count(group.params)} get a gradient of exactly zero: the derivative of {name} is 0 everywhere",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct(
                [s for one in group.losses if one.op >= 0 for s in graph.op_sites(one.op, "zeroed")]
            ),
            path=graph.path(group.params[0], loss.op) if loss.op >= 0 else (),
            evidence={"grad_norm": 0.0, "arrives": graph.gradients.arriving(loss)},
            fix=f"Use a straight-through estimator: w + ({name}(w) - w).detach() has the rounded value and the gradient of w.",
        )
