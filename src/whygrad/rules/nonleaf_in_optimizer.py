"""An optimizer was given the result of an operation instead of the leaf that the operation was applied to.

## What it means

An optimizer changes tensors that gradients are accumulated in: leaves. `torch.randn(3, requires_grad=True) * 0.01`
is the product of a leaf and a number; its gradient goes on to the leaf, and the product would be overwritten by the
next forward pass. `torch.optim` refuses it: "can't optimize a non-leaf Tensor".

## How to recognise it

The tensor has a `grad_fn`. whygrad names the operation that made it: often `.to(...)`, `.cuda()`, a multiplication, a
reshape, after `requires_grad=True` or `nn.Parameter(...)`.

## Example

```python
weight = torch.randn(3, 1, requires_grad=True) * 0.01
optimizer = torch.optim.SGD([weight], lr=0.1)
```

## Use instead

```python
weight = (torch.randn(3, 1) * 0.01).requires_grad_()
optimizer = torch.optim.SGD([weight], lr=0.1)
```

## Not this rule

`.to(...)` that changes nothing returns the very same leaf. This is why the error may appear only on a machine with a
GPU.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
- https://docs.pytorch.org/docs/stable/optim.html#constructing-it
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import made, raised


def check(graph: Graph) -> Iterator[Finding]:
    """The operation that made the tensor, the leaf behind it, and the optimizer."""
    error = raised(graph, "can't optimize a non-leaf Tensor")
    if error is None:
        return
    given = next((g for g in error.tensors if not g.leaf), None)
    op = graph.trace.values[given.value].op if given is not None else -1
    leaves = (
        sorted({graph.trace.values[v].param for v in graph.flow.upstream([given.value])} - {-1})
        if given
        else []
    )
    what = f"the result of {graph.label(op)}" if op >= 0 else "the result of an operation"
    yield Finding(
        rule="nonleaf-in-optimizer",
        severity="error",
        title=f"an optimizer was given {what}, which is no leaf",
        parameters=graph.names(i for i in leaves if graph.trace.params[i].named),
        causes=distinct(
            [
                *(graph.sites(made(graph, given.value), "no leaf any more", 1) if given is not None else ()),
                *graph.sites(error.stack, "optimizer", 0),
                *(s for i in leaves[:1] for s in graph.sites(graph.trace.params[i].created, "leaf", 0)),
            ]
        ),
        evidence={"leaf": False, "shape": list(given.shape)} if given is not None else {"leaf": False},
        fix="Do this first, and make the result the leaf: `(...).requires_grad_()`, or nn.Parameter(...) around it.",
    )
