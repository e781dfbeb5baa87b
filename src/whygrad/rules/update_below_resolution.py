"""The update is smaller than the smallest difference that the parameter's dtype can hold.

## What it means
bfloat16 keeps 8 significant bits: next to 1.0 the nearest other number is 1.0078. An update of 1e-5 is rounded away, in
every step anew, and the weights stay bit for bit as they are although gradient and learning rate are fine. float16, with
11 bits, is three bits better.

## How to recognise it
The model (or a part of it) was converted with ``.to(torch.bfloat16)`` or ``.half()``, the learning rate is small, and
``torch.equal`` says that nothing changed.

## Example
```python
model = Net().to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
```

## Use instead
```python
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
with torch.autocast("cuda", dtype=torch.bfloat16):
    loss = model(x).mean()
```

## Not this rule
Half-precision parameters whose float32 master copies are stepped and copied back.

## References
- https://docs.pytorch.org/docs/stable/amp.html
- https://docs.pytorch.org/docs/stable/type_info.html#torch.finfo
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group

_EPSILON = {"bfloat16": 2**-8, "float16": 2**-11}


def check(graph: Graph) -> Iterator[Finding]:
    """Half-precision parameters with gradients, at a learning rate above 0, whose bits never change."""
    params = graph.trace.params
    still = [i for i in graph.sick(9) if params[i].dtype in _EPSILON and graph.updates.rows.get(i)]
    still = [
        i
        for i in still
        if not any(graph.updates.moved(r) for _, r in graph.updates.rows[i]) and _rate(graph, i) > 0
    ]
    for dtype, indices in group((params[i].dtype, i) for i in still):
        optimizer = graph.trace.optimizers[graph.updates.holders[indices[0]][0][0]]
        row = graph.updates.rows[indices[0]][-1][1]
        yield Finding(
            rule="update-below-resolution",
            severity="error",
            title=f"{graph.count(indices)} have gradients and stay bit-identical: the update is lost in {dtype}",
            parameters=graph.names(indices),
            link=9,
            causes=distinct(
                [
                    *graph.sites(optimizer.created, "optimizer", 1),
                    *graph.sites(params[indices[0]].created, "created", 1),
                ]
            ),
            evidence={
                "grad_norm": row.grad,
                "lr": _rate(graph, indices[0]),
                "resolution": _EPSILON[str(dtype)],
                "weight_change": 0.0,
            },
            fix="Keep the parameters in float32 and compute in half precision with torch.autocast, or raise the learning rate.",
        )


def _rate(graph: Graph, index: int) -> float:
    optimizer, number = graph.updates.holders[index][0]
    return graph.trace.optimizers[optimizer].groups[number].lr or 0.0
