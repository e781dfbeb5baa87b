"""The backward of a custom autograd Function does not give the derivative of its forward.

## What it means

`torch.autograd.gradcheck` moved the inputs of the Function a little, in double precision, and compared what came out
with what its `backward` says. They differ: whatever lies before the Function is trained with a wrong gradient.

## How to recognise it

The loss falls slowly, or not at all, and every parameter has a gradient that looks ordinary.

## Example

```python
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x          # the derivative is 2 x
```

## Use instead

```python
        return g * 2 * x
```

## Not this rule

A gradient that is meant to be another one (straight-through estimators, gradient reversal): leave `gradcheck` off for
those. Only `whygrad.check(..., gradcheck=True)` asks this question.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
- https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph


def check(graph: Graph) -> Iterator[Finding]:
    """Each Function of a check that gradcheck did not agree with."""
    checked = graph.trace.learning.checked
    for name, said in checked.functions if checked is not None else ():
        if not said:
            continue
        calls = [i for i in range(len(graph.trace.ops)) if graph.flow.kind(i).name == f"{name}.apply"]
        yield Finding(
            rule="gradcheck-failed",
            severity="error",
            title=f"The gradient that {name} computes is not that of its forward",
            link=10,
            causes=graph.op_sites(calls[0], "applied") if calls else (),
            evidence={"gradcheck": said},
            fix=f"Correct {name}.backward; torch.autograd.gradcheck({name}.apply, inputs) in double precision tells when it fits.",
        )
