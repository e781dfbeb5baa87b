"""A GradScaler was asked twice for something that it does once between two updates.

## What it means

Between two calls of `scaler.update()` the gradients of an optimizer can be unscaled once and stepped once. A second
`unscale_` would divide them by the scale again: "unscale_() has already been called on this optimizer since the last
update()". The same holds for `step`, and for `unscale_` after `step`.

## How to recognise it

Two places of the loop call `unscale_`, one place is called once for each of several losses, or `update()` is missing,
so that the second iteration finds the scaler as the first left it.

## Example

```python
for loss in losses:
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
```

## Use instead

```python
for loss in losses:
    scaler.scale(loss).backward()
scaler.unscale_(optimizer)
clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
```

## Not this rule

Several optimizers may each be unscaled once before one common `update()`.

## References

- https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-clipping
- https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import raised

_MESSAGES = (
    "unscale_() has already been called",
    "step() has already been called since the last update",
    "unscale_() is being called after step()",
)


def check(graph: Graph) -> Iterator[Finding]:
    """The first call, the second one, and whether an update is missing."""
    error = raised(graph, *_MESSAGES)
    if error is None:
        return
    updates = graph.updates.events.get("scaler-update", [])
    since = updates[-1].tick if updates else -1
    earlier = [
        e
        for kind in ("unscale", "scaler-step")
        for e in graph.updates.events.get(kind, ())
        if e.tick > since and e.optimizer in (error.optimizer, -1)
    ]
    steps = [e for e in earlier if e.kind == "scaler-step"]
    forgotten = bool(steps) and not updates
    first = (steps or earlier)[-1:]
    what = error.message.split("(")[0]
    before = [s for e in first for s in graph.sites(e.stack, "called first", 1)]
    again = graph.sites(error.stack, "called again", 2)
    yield Finding(
        rule="scaler-unscaled-twice",
        severity="error",
        title="scaler.update() is never called: the second iteration finds the scaler as the first left it"
        if forgotten
        else f"scaler.{what}() was called again for an optimizer before scaler.update()",
        causes=distinct([*before, *again] if forgotten else [*again, *before]),
        evidence={"updates": len(updates)},
        fix="Call scaler.update() after scaler.step(optimizer)."
        if forgotten
        else "Call unscale_ once, after the last backward of the iteration and before clipping and step.",
    )
