"""The gradients are clipped while they are still multiplied by the loss scale.

## What it means

`scaler.scale(loss).backward()` brings gradients that are multiplied by the scale, 65536 at first. Clipping those to 1
and dividing by the scale afterwards leaves a norm of 1/65536 at most. SGD stands still; Adam and its like go on, since
they do not mind a common factor, but each batch counts the same then.

## How to recognise it

The norm that `clip_grad_norm_` returns is in the thousands, and the weights hardly move.

## Example

```python
scaler.scale(loss).backward()
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
```

## Use instead

```python
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
```

## Not this rule

A disabled GradScaler, a scale of 1, or a limit that is never reached.

## References

- https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-clipping
- https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, group

_ADAPTIVE = ("adam", "rmsprop", "adagrad", "adadelta", "lamb", "lion", "adafactor", "rprop")
_SMALLER = ("mul_", "div_", "clamp_")
_LEFT = 0.01  #: a smaller share than this of the gradient is left
_STALLED = 1e-4  #: an update this small beside its weight, every step, does not train


def check(graph: Graph) -> Iterator[Finding]:
    """A clip between backward and unscale_, under a GradScaler with a scale above 1."""
    yield from _by_hand(graph)
    clips = [
        (e, scale) for e in graph.updates.events.get("clip", ()) if (scale := _scale(graph, e)) is not None
    ]
    for stack, numbers in group((e.stack, n) for n, (e, _) in enumerate(clips)):
        event, scale = clips[numbers[-1]]
        indices = [p for p in event.params if p in graph.updates.holders]
        limit, norm = event.data.get("limit"), event.data.get("total_norm") or _peak(graph, event)
        if not indices or not isinstance(limit, float) or not isinstance(norm, float) or norm <= limit:
            continue
        optimizer = graph.trace.optimizers[graph.updates.holders[indices[0]][0][0]]
        stalled = _largest_update(graph, indices) < _STALLED and not optimizer.kind.lower().startswith(
            _ADAPTIVE
        )
        yield Finding(
            rule="clip-before-unscale",
            severity="error" if stalled else "warning",
            title=f"{graph.count(indices)}: gradients are clipped to {limit:g} while still scaled by {scale:g}",
            parameters=graph.names(indices),
            link=7,
            causes=graph.sites(int(str(stack)), "clipped", 1),
            evidence={"scale": scale, "limit": limit, "total_norm": norm, "effective_limit": limit / scale},
            fix="Call scaler.unscale_(optimizer) before clipping; as it is, the step sees a gradient of norm "
            f"{limit / scale:.1g} at most.",
        )


def _by_hand(graph: Graph) -> Iterator[Finding]:
    """Gradients that the script itself makes smaller in place while they are scaled, so that next to nothing is left."""
    events = [e for e in graph.updates.events.get("grad-set", ()) if e.data.get("op") in _SMALLER]
    shrunk = [
        (e, scale, left)
        for e in events
        if (scale := _scale(graph, e)) and (left := _left(graph, e, scale)) < _LEFT
    ]
    for stack, numbers in group((e.stack, n) for n, (e, _, _) in enumerate(shrunk)):
        event, scale, left = shrunk[numbers[-1]]
        indices = [p for p in event.params if p in graph.updates.holders]
        optimizer = graph.trace.optimizers[graph.updates.holders[indices[0]][0][0]]
        adaptive = optimizer.kind.lower().startswith(_ADAPTIVE)
        yield Finding(
            rule="clip-before-unscale",
            severity="warning" if adaptive or _largest_update(graph, indices) >= _STALLED else "error",
            title=f"{graph.count(indices)}: gradients are clipped by hand while still scaled by {scale:g}",
            parameters=graph.names(indices),
            link=7,
            causes=graph.sites(int(str(stack)), "clipped", 1),
            evidence={"scale": scale, "share_left": left},
            fix="Call scaler.unscale_(optimizer) before clipping; as it is, the step sees "
            f"{left:.1g} of the gradient.",
        )


def _left(graph: Graph, event: t.Event, scale: float) -> float:
    """Which share of the true gradient the step after an event still found."""
    found = true = 0.0
    for param in event.params:
        use = next((u for u in graph.deposits.uses.get(param, ()) if u.tick > event.tick), None)
        if use is not None:
            found += use.norm**2
            true += (graph.deposits.own(param, use.passes[-1]) / scale) ** 2
    return math.sqrt(found / true) if true else 1.0


def _scale(graph: Graph, clip: t.Event) -> float | None:
    """The scale the gradients had when they were clipped; None if they were not scaled."""
    before = [
        e
        for e in graph.trace.events
        if e.tick < clip.tick and e.kind in ("scale", "unscale", "scaler-update")
    ]
    if not before or before[-1].kind != "scale":
        return None
    scale = before[-1].data.get("scale")
    return scale if isinstance(scale, float) and scale > 1 else None


def _peak(graph: Graph, clip: t.Event) -> float | None:
    """The greatest element of the gradients that the last pass before a clipping by value had brought."""
    before = [b for b in graph.trace.backwards if b.tick < clip.tick]
    return max((g.peak for g in before[-1].grads if g.param in clip.params), default=None) if before else None


def _largest_update(graph: Graph, indices: list[int]) -> float:
    rows = [row for i in indices for _, row in graph.updates.rows.get(i, ())]
    return max((r.update / r.norm for r in rows if r.norm > 0), default=1.0)
