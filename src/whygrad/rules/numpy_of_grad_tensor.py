"""A tensor that is part of the graph was handed to NumPy.

## What it means

NumPy knows nothing of autograd, so a tensor that requires grad refuses to become an array: "Can't call numpy() on
Tensor that requires grad". Either the numbers are only to be looked at, then they are detached first; or they go into
the loss, then the computation must stay in torch, or it would get no gradient.

## How to recognise it

`.numpy()`, `np.asarray(t)`, or a NumPy or plotting function that is given a tensor.

## Example

```python
history.append(prediction.numpy())
rate = np.exp(model(x))
```

## Use instead

```python
history.append(prediction.detach().numpy())
rate = torch.exp(model(x))
```

## Not this rule

Under `torch.no_grad()` results do not require grad, and `.numpy()` works.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import made, raised


def check(graph: Graph) -> Iterator[Finding]:
    """The line that hands the tensor over, and where it was made."""
    error = raised(graph, "Can't call numpy() on Tensor that requires grad")
    if error is None:
        return
    given = error.tensors[0] if error.tensors else None
    op = graph.trace.values[given.value].op if given is not None else -1
    what = f"the result of {graph.label(op)}" if op >= 0 else "a tensor that requires grad"
    by_numpy = error.call == "__array__"
    yield Finding(
        rule="numpy-of-grad-tensor",
        severity="error",
        title=f"{what}, which is part of the graph, was handed to NumPy",
        causes=distinct(
            [
                *graph.sites(error.stack, "handed to NumPy", 2),
                *(graph.sites(made(graph, given.value), "made here", 0) if given is not None else ()),
            ]
        ),
        evidence={"requires_grad": True},
        fix="Use torch's function of the same name if the result goes into the loss, else .detach() first."
        if by_numpy
        else "Write .detach() before .numpy() if the numbers are only looked at; for the loss stay with torch.",
    )
