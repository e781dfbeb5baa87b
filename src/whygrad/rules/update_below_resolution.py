"""The update is smaller than the smallest difference that the parameter's dtype can hold.

## What it means
bfloat16 keeps 8 significant bits: next to 1.0 the nearest other number is 1.0078. An update of 1e-5 is rounded away, in
every step anew, and the weights stay bit for bit as they are although gradient and learning rate are fine. float16, with
11 bits, is three bits better. Small weights may still move, so that the model seems to learn a little.

## How to recognise it
The model (or a part of it) was converted with ``.to(torch.bfloat16)`` or ``.half()``, the learning rate is small, and
``(p == p_before_step).float().mean()`` is near 1.

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
Half-precision parameters whose float32 master copies are stepped and copied back; updates that arrive now and then
(fewer than half of the elements stand still in a step).

## References
- https://docs.pytorch.org/docs/stable/amp.html
- https://docs.pytorch.org/docs/stable/type_info.html#torch.finfo
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, group

_EPSILON = {"bfloat16": 2**-8, "float16": 2**-11}
_MOST = 0.5  #: share of the elements that may stand still
_ALL = 0.9  #: more is as good as all of them


def check(graph: Graph) -> Iterator[Finding]:
    """Half-precision parameters with gradients, at a learning rate above 0, most of whose elements never change."""
    params = graph.trace.params
    halves = [i for i, p in enumerate(params) if p.dtype in _EPSILON and graph.updates.rows.get(i)]
    lost = [(_share(_late(graph, i)), i) for i in halves if _rate(graph, i) > 0]
    for dtype, indices in group((params[i].dtype, i) for share, i in lost if share > _MOST):
        optimizer = graph.trace.optimizers[graph.updates.holders[indices[0]][0][0]]
        share = statistics.fmean(share for share, i in lost if i in indices)
        yield Finding(
            rule="update-below-resolution",
            severity="error" if share > _ALL else "warning",
            title=f"{graph.count(indices)} have gradients, and {share:.0%} of their elements stay bit-identical in every "
            f"step: the update is lost in {dtype}",
            parameters=graph.names(indices),
            link=9,
            causes=distinct(
                [
                    *graph.sites(optimizer.created, "optimizer", 1),
                    *_conversion(graph, indices[0]),
                    *graph.sites(params[indices[0]].created, "created", 1),
                ]
            ),
            evidence={
                "grad_norm": graph.updates.rows[indices[0]][-1][1].grad,
                "lr": _rate(graph, indices[0]),
                "resolution": _EPSILON[dtype],
                "unchanged": share,
            },
            fix="Keep the parameters in float32 and compute in half precision with torch.autocast, or raise the learning "
            "rate.",
        )


def _late(graph: Graph, index: int) -> list[t.StepParam]:
    """What the later steps that had a usable gradient found."""
    rows = [r for _, r in graph.updates.rows[index]]
    return [r for r in rows[len(rows) // 2 :] if r.grad and math.isfinite(r.grad)]


def _share(rows: list[t.StepParam]) -> float:
    """The least share of the elements that stood still in any of these steps."""
    return min((1.0 if r.update == 0 else r.still or 0.0 for r in rows), default=0.0)


def _rate(graph: Graph, index: int) -> float:
    optimizer, number = graph.updates.holders[index][0]
    return graph.trace.optimizers[optimizer].groups[number].lr or 0.0


def _conversion(graph: Graph, index: int) -> tuple[Site, ...]:
    """Where the module was converted, if its values were exchanged as a whole before training."""
    own = graph.trace.params[index]
    return graph.sites(own.written, "converted", 1) if own.written_by == "data =" else ()
