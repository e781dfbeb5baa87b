"""A gradient was asked for a tensor of integers or booleans.

## What it means

Only floating-point and complex numbers can be moved by a small amount, so only they have gradients. Asking for one of
an integer tensor raises "Only Tensors of floating point and complex dtype can require gradients".

## How to recognise it

`torch.tensor([1, 2, 3])`, `torch.arange(n)`, `torch.randint(...)` and the result of a comparison have no
floating-point dtype.

## Example

```python
offset = nn.Parameter(torch.arange(8))
```

## Use instead

```python
offset = nn.Parameter(torch.arange(8, dtype=torch.float32))
```

If the numbers are not to be trained, register them as a buffer, or pass `requires_grad=False`.

## Not this rule

Indices and class numbers are integers on purpose; the tensors that are looked up with them get the gradient.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import raised

_FLOATS = ("float", "bfloat", "complex")


def check(graph: Graph) -> Iterator[Finding]:
    """Where the integers were made, and where a gradient was asked for."""
    error = raised(graph, "dtype can require gradients")
    if error is None:
        return
    given = next((g for g in error.tensors if not g.dtype.startswith(_FLOATS)), None)
    what = f"a tensor of {given.dtype}" if given is not None else "a tensor of integers"
    yield Finding(
        rule="integer-requires-grad",
        severity="error",
        title=f"{what} was asked to require grad",
        causes=distinct(
            [
                *(graph.sites(given.created, "made here", 0) if given is not None else ()),
                *graph.sites(error.stack, "requires grad", 2),
            ]
        ),
        evidence={"dtype": given.dtype} if given is not None else {},
        fix="Make it floating-point: write 1.0 instead of 1, or give dtype=torch.float32. "
        "If it is not to be trained, register it as a buffer.",
    )
