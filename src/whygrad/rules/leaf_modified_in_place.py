"""A tensor that requires grad, or a view of it, was written in place while autograd was on.

## What it means

A leaf that requires grad is what backward computes a gradient for. A write in place would put an operation between
the leaf and itself, so autograd refuses: "a leaf Variable that requires grad is being used in an in-place operation".
Weights are changed by an optimizer, or with autograd switched off.

## How to recognise it

The line of the error writes to a parameter: `+=`, `-=`, a slice assignment, or a method whose name ends in `_`.

## Example

```python
weight -= lr * weight.grad
layer.weight.clamp_(min=0)
```

## Use instead

```python
with torch.no_grad():
    weight -= lr * weight.grad
    layer.weight.clamp_(min=0)
```

For a first value use `torch.nn.init`, which switches autograd off itself.

## Not this rule

`p.detach().zero_()` writes into the parameter's own storage and leaves it a trainable leaf; it raises nothing.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
- https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import called, made, raised

_MESSAGES = ("a leaf Variable that requires grad", "a view of a leaf Variable that requires grad")


def check(graph: Graph) -> Iterator[Finding]:
    """The write, and the leaf that it would have changed."""
    error = raised(graph, *_MESSAGES)
    if error is None:
        return
    target = error.tensors[0] if error.tensors else None
    behind = graph.flow.upstream([target.value]) if target is not None else set()
    leaves = sorted({graph.trace.values[v].param for v in behind} - {-1})
    view = _MESSAGES[1] in error.message
    name = called(graph, target) if target is not None and not view else "a view of a leaf"
    if view and leaves:
        name = f"a view of {graph.trace.params[leaves[0]].fqn}"
    yield Finding(
        rule="leaf-modified-in-place",
        severity="error",
        title=f"`{error.call}` writes to {name}, which requires grad, while autograd is on",
        parameters=graph.names(i for i in leaves if graph.trace.params[i].named),
        causes=distinct(
            [
                *graph.sites(error.stack, "written in place", 2),
                *(graph.sites(made(graph, target.value), "view", 0) if view and target is not None else ()),
                *(s for i in leaves[:1] for s in graph.sites(graph.trace.params[i].created, "created", 0)),
            ]
        ),
        evidence={"requires_grad": True, "leaf": True},
        fix="Put the write into `with torch.no_grad():`"
        + (", or use torch.nn.init." if not graph.trace.backwards else ", or let an optimizer make it."),
    )
