"""Clipping leaves nothing of the gradient.

## What it means

`clip_grad_norm_` scales all gradients so that their common norm is at most `max_norm`, `clip_grad_value_` limits each
element. With a limit of 0, or far below what gradients usually have, the step has nothing left to take.

## How to recognise it

The norm that `clip_grad_norm_` returns is normal (it is measured before), and the weights do not move.

## Example

```python
nn.utils.clip_grad_norm_(model.parameters(), config.get("clip", 0))
```

## Use instead

```python
nn.utils.clip_grad_norm_(model.parameters(), config.get("clip", 1.0))
```

To measure only: `max_norm=float("inf")`, or `torch.nn.utils.get_total_norm`.

## Not this rule

A small limit in front of Adam and its like, which do not mind the scale of the gradient, as long as it is not 0.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_value_.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group

_NOTHING = 1e-6  #: a limit this far below the gradient's norm leaves no training to speak of


def check(graph: Graph) -> Iterator[Finding]:
    """clip_grad_norm_ or clip_grad_value_ with a limit of (almost) zero, compared with the norm it met."""
    clips = graph.updates.events.get("clip", [])
    tiny = [
        e
        for e in clips
        if _limit(e.data.get("limit")) <= _NOTHING * max(1e-30, _limit(e.data.get("total_norm")))
    ]
    tiny += [e for e in clips if e.data.get("limit") == 0.0 and e not in tiny]
    for stack, numbers in group((e.stack, n) for n, e in enumerate(tiny)):
        indices = sorted({p for n in numbers for p in tiny[n].params if graph.gradients.good(p)})
        if not indices or 2 * len(numbers) < len([e for e in clips if e.stack == stack]):
            continue
        event = tiny[numbers[-1]]
        yield Finding(
            rule="clipped-to-nothing",
            severity="error",
            title=f"{graph.count(indices)}: clipping to {event.data.get('limit')} leaves nothing of the gradient",
            parameters=graph.names(indices),
            link=7,
            causes=graph.sites(int(str(stack)), "clipped", 1),
            evidence={"limit": event.data.get("limit"), "total_norm": event.data.get("total_norm")},
            fix="Clip to a norm of about 1, or to what your gradients usually have; 0 switches training off.",
        )


def _limit(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 1.0
