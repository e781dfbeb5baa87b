"""A tensor was built anew from the numbers of another one, which leaves its history behind.

## What it means

`torch.tensor(...)`, `torch.as_tensor([...])`, `torch.Tensor([...])`, `torch.FloatTensor([...])` and `Variable(...)` copy
numbers. The new tensor is a leaf: it has no `grad_fn`, and `requires_grad=True` only makes it the start of a graph of
its own.

## How to recognise it

`result.grad_fn` is `None` where the parts had one. Torch warns: "To copy construct from a tensor, it is recommended
to use sourceTensor.detach().clone()".

## Example

```python
loss = torch.tensor([criterion(f(x), y) for x, y in batch]).mean()
rotation = torch.tensor([[torch.cos(angle), -torch.sin(angle)], [torch.sin(angle), torch.cos(angle)]])
```

## Use instead

```python
loss = torch.stack([criterion(f(x), y) for x, y in batch]).mean()
c, s = torch.cos(angle), torch.sin(angle)
rotation = torch.stack([torch.stack([c, -s]), torch.stack([s, c])])
```

## Not this rule

Data, targets, class weights and logged numbers are made with `torch.tensor` as they should be.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
- https://docs.pytorch.org/docs/stable/generated/torch.stack.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, blamed, distinct


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose value passes through torch.tensor(...), torch.Tensor(...) or the like."""
    for indices, which, ops in blamed(graph, "rebuilt"):
        name = graph.flow.kind(ops[0]).name
        name = name if name == "Variable" else f"torch.{name.removeprefix('torch.')}"
        yield Finding(
            rule="rebuilt-tensor",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: {name}(...) copies numbers, without their history",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([s for op in ops for s in graph.op_sites(op, "cut")]),
            path=graph.path(indices[0], ops[0], which),
            evidence={"grad_norm": None},
            fix="Join tensors with torch.stack or torch.cat instead; a result that is already a tensor needs no wrapping.",
        )
