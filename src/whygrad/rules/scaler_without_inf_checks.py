"""A GradScaler was asked to step or to update although it had seen no gradient.

## What it means

`scaler.step(optimizer)` looks for infinite numbers in the gradients of the optimizer's parameters. If none of them has
a gradient it raises "No inf checks were recorded for this optimizer". `scaler.update()` raises "No inf checks were
recorded prior to update" if there was no `step` (or `unscale_`) since the last one.

## How to recognise it

The parameters that the optimizer holds are not those that the loss trains, the gradients were cleared between
backward and step, or, with accumulation, `update` is called more often than `step`.

## Example

```python
scaler.scale(loss).backward()
optimizer.zero_grad()
scaler.step(optimizer)
scaler.update()
```

## Use instead

```python
optimizer.zero_grad()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
```

## Not this rule

Steps that are skipped since a gradient was infinite raise nothing; the scaler then lowers its scale.

## References

- https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
- https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import raised

_UPDATE = "No inf checks were recorded prior to update"


def check(graph: Graph) -> Iterator[Finding]:
    """Why there was no gradient to look at, or what called update once too often."""
    error = raised(graph, "No inf checks were recorded for this optimizer", _UPDATE)
    if error is None:
        return
    indices: list[int] = []
    places: list[Site] = []
    link = 0
    if _UPDATE in error.message:
        title = "scaler.update() was called although no scaler.step() had come since the last update"
        fix = "Call update() right after step(), in the same branch."
    else:
        link, indices, title, places, fix = _no_gradient(graph, error)
    if indices and any(index in indices and told for index, _, told in graph.cut):
        return  # cut off: the rule of that cut says where
    yield Finding(
        rule="scaler-without-inf-checks",
        severity="error",
        title=title,
        parameters=graph.names(indices),
        link=link,
        causes=distinct([*places, *graph.sites(error.stack, "raised", 1)]),
        evidence={"grad_norm": None} if link else {},
        fix=fix,
    )


def _no_gradient(graph: Graph, error: t.Raised) -> tuple[int, list[int], str, list[Site], str]:
    if error.optimizer < 0 or not graph.trace.backwards:
        title = "scaler.step() was called before any backward pass"
        return 7, [], title, [], "Call scaler.scale(loss).backward() before scaler.step(optimizer)."
    optimizer, last = graph.trace.optimizers[error.optimizer], graph.trace.backwards[-1]
    held = [p for group in optimizer.groups for p in group.params]
    clears = [
        e
        for e in graph.updates.events.get("zero-grad", ())
        if e.tick > last.tick and set(held) & set(e.params)
    ]
    if clears:
        title = "the gradients were cleared between backward and scaler.step(), which found none"
        places = list(graph.sites(clears[-1].stack, "cleared", 1))
        return 7, held, title, places, "Clear them before backward, or after the step."
    name = optimizer.name or optimizer.kind
    title = f"none of the {len(held)} parameters that {name} holds got a gradient, so its scaler had nothing to look at"
    places = [*graph.sites(optimizer.created, "optimizer", 0), *graph.sites(last.stack, "backward", 0)]
    fix = "Give the optimizer the parameters of the model that the loss is computed with."
    others = [
        o for o in graph.trace.optimizers if {p for g in o.groups for p in g.params} & set(last.reached)
    ]
    if others:
        other = others[0].name or others[0].kind
        title += f"; this backward was for those of {other}"
        places = [*graph.sites(error.stack, "step of another", 1), *places]
        fix = f"Step {other} after this backward."
    return 8, held, title, places, fix
