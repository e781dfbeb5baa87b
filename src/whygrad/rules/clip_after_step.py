"""The gradients are clipped when the optimizer has already used them.

## What it means

Clipping changes `.grad`. After `step()` nobody reads it any more, and the next `zero_grad()` throws the clipped
gradients away: the model trains as if there were no clipping. The same holds for clipping right after `zero_grad()`,
or before `backward()`, when there is nothing to clip.

## How to recognise it

The optimizer steps with a gradient whose norm is above the limit. A single exploding gradient ruins the weights,
although "the gradients are clipped".

## Example

```python
loss.backward()
optimizer.step()
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
```

## Use instead

```python
loss.backward()
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
```

## Not this rule

A limit of infinity, or a thousand times above any gradient that was seen: that only measures the norm. A second call
after the step where a first one, before it, has clipped already.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_value_.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group
from whygrad.graph.clipping import largest_used, limit_of, useless_clips

#: Clipped after the step, the gradients that are left look as if clipping had ruined them.
EXPLAINS = ("clipped-to-nothing", "zero-gradient", "nonfinite-gradient", "dead-activation")
_MEASURES = 1000.0  #: a limit this many times above the gradients is not there to clip


def check(graph: Graph) -> Iterator[Finding]:
    """Places that clip, and every time either what has been used already or nothing at all."""
    clips = useless_clips(graph)
    for stack, numbers in group((e.stack, n) for n, e in enumerate(clips)):
        event = clips[numbers[-1]]
        indices = sorted({p for n in numbers for p in clips[n].params if p in graph.deposits.uses})
        limit = limit_of(graph, event)
        used = largest_used(graph, indices, together=isinstance(event.data.get("total_norm"), float))
        if not indices or limit is None or limit <= 0 or limit > _MEASURES * used:
            continue
        empty = not any(passes for n in numbers for passes, _ in graph.deposits.clipped_by(clips[n]))
        yield Finding(
            rule="clip-after-step",
            severity="error" if used > limit else "warning",
            title=f"{graph.count(indices)}: gradients are clipped "
            + ("when there are none" if empty else "after the step that used them")
            + f"; steps saw up to {used:.3g}, the limit is {limit:.3g}",
            parameters=graph.names(indices),
            link=10,
            causes=graph.sites(int(str(stack)), "clipped", 1),
            evidence={"limit": limit, "largest_grad_norm_at_step": used if math.isfinite(used) else None},
            fix="Move the clipping between backward() and step().",
        )
