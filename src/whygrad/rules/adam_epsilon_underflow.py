"""Adam divides by zero, since its eps is 0 in the dtype of the weights; or eps is so large that it swallows the gradient.

## What it means

Adam, RMSprop and their kin divide by ``sqrt(v) + eps``, and keep ``v``, the mean square of the gradient, in the dtype of
the weights. float16 has no number between 0 and 6e-8: ``eps=1e-8`` becomes 0 there, and so does the square of any
gradient below 2e-4. The first step then divides by 0, and the weights are infinite or NaN although every gradient was
fine. (In bfloat16 and float32 only ``eps=0`` does that.)

An eps far above the gradients turns it round: the step is ``lr * m / eps``, next to nothing.

## How to recognise it

The loss is finite once, then ``nan``; the gradients of the first pass are all finite. ``model.half()`` stands near the
optimizer's line.

## Example

```python
model = Net().half()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
```

## Use instead

```python
model = Net()                                         # float32 weights
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
with torch.autocast("cuda", dtype=torch.float16):     # half precision where it is safe
    loss = criterion(model(x), y)
```

Where the weights must be float16: ``eps=1e-4``.

## Not this rule

A step that overflows since the learning rate is too high, or a gradient that was not finite before the step. A large
eps (0.1, 1.0) beside gradients as large, or with a learning rate to match: reported is only an eps of more than 100
times the gradient (root mean square of its elements) for all weights, where the steps move them by less than 1e-5 of
their size. In 729 optimizers of 666 healthy scripts a median step moved the weights that move most by 1e-3 of their size or
more in 99 of 100; the least was 4e-6, in a warm-up.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html
- https://discuss.pytorch.org/t/adam-half-precision-nans/1765
- https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.overstepping import overstep, vanishing_eps

_SWALLOWED = 100.0  #: times the gradient (root mean square): an eps that decides the size of the step
_STILL = 1e-5  #: of the weights in a step: less is no movement


def check(graph: Graph) -> Iterator[Finding]:
    """Optimizers whose first step made finite weights infinite or NaN, and those whose eps swallows the gradient."""
    yield from _divided_by_zero(graph)
    for index, optimizer in enumerate(graph.trace.optimizers):
        swallowed = [p for g in optimizer.groups for p in g.params if _swallows(graph, index, p, g.options)]
        weights = [p for g in optimizer.groups for p in g.params if graph.updates.trained(p)]
        if not swallowed or set(weights) - set(swallowed):
            continue
        eps = max(g.options.get("eps", 0.0) for g in optimizer.groups)
        yield Finding(
            rule="adam-epsilon-underflow",
            severity="warning",
            title=f"{graph.count(swallowed)} hardly move: eps={eps:g} of {optimizer.kind} is far larger than their gradients",
            parameters=graph.names(swallowed),
            link=10,
            causes=graph.sites(optimizer.created, "optimizer", 1),
            evidence={"eps": eps, "update_over_weight": max(_pace(graph, p) for p in swallowed)},
            fix=f"Give {optimizer.kind} a smaller eps (1e-8 is usual), or a learning rate that goes with it.",
        )


def _divided_by_zero(graph: Graph) -> Iterator[Finding]:
    found = overstep(graph)
    if found is None:
        return
    own = {p: eps for p in found.params if (eps := vanishing_eps(graph, found.optimizer, p)) is not None}
    if not own:
        return
    optimizer, first = graph.trace.optimizers[found.optimizer], graph.trace.params[min(own)]
    eps = next(iter(own.values()))
    held = [p for g in optimizer.groups for p in g.params]
    yield Finding(
        rule="adam-epsilon-underflow",
        severity="error",
        title=f"step {found.step + 1} of {optimizer.kind} made {graph.count(own)} infinite or NaN, from finite gradients: "
        + (f"eps={eps:g} is 0 in {first.dtype}" if eps else "eps is 0"),
        parameters=graph.names(held),
        link=6,
        causes=distinct([*graph.sites(optimizer.created, "optimizer", 0), *_conversion(graph, min(own))]),
        evidence={"eps": eps, "dtype": first.dtype, "step": found.step + 1, "parameters": len(own)},
        fix=f"Keep the weights in float32 and compute in half precision with torch.autocast, or give {optimizer.kind} an "
        "eps that float16 can hold: 1e-4."
        if eps
        else f"Give {optimizer.kind} its usual eps, 1e-8.",
    )


def _conversion(graph: Graph, index: int) -> tuple[Site, ...]:
    """Where the model was converted, or the parameter made."""
    own = graph.trace.params[index]
    return graph.sites(own.written if own.written_by == "data =" else own.created, "converted", 1)


def _swallows(graph: Graph, optimizer: int, param: int, options: dict[str, float]) -> bool:
    """Whether all gradients of a parameter were far below eps, and the steps moved it by next to nothing."""
    eps, shape = options.get("eps", 0.0), graph.trace.params[param].shape
    rows = [r for s, r in graph.updates.rows.get(param, ()) if graph.trace.steps[s].optimizer == optimizer]
    sizes = [(r.grad or 0.0) / math.sqrt(max(1, math.prod(shape))) for r in rows]
    if eps < _STILL or "beta2" not in options or len(rows) < 3 or max(sizes) == 0:
        return False
    return max(sizes) * _SWALLOWED < eps and _pace(graph, param) < _STILL


def _pace(graph: Graph, param: int) -> float:
    """By how much of its size a step moves a parameter, in the median."""
    rows = [r for _, r in graph.updates.rows[param] if r.norm > 0]
    return statistics.median([r.update / r.norm for r in rows]) if rows else math.inf
