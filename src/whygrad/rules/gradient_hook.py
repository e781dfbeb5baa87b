"""A hook returns zeros in place of the gradient.

## What it means

What a hook returns takes the place of the gradient: `register_hook` on a parameter or an activation,
`register_full_backward_hook` on a module. A gradient arrived there, and the hook left nothing of it. A hook registered
with `register_post_accumulate_grad_hook` can empty `.grad` itself.

## How to recognise it

Gradients after the hook are normal, before it they are exact zeros.

## Example

```python
mask = torch.zeros_like(table.weight)             # meant to be 1 for the new rows
table.weight.register_hook(lambda grad: grad * mask)
```

## Use instead

```python
mask = torch.zeros_like(table.weight)
mask[old_size:] = 1
table.weight.register_hook(lambda grad: grad * mask)
```

## Not this rule

Hooks that only look (they return `None`), scale, clip, or mask a part.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html
- https://docs.pytorch.org/docs/stable/notes/autograd.html#backward-hooks-execution
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, vanished
from whygrad.graph.vanishing import hooks_at


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters where a gradient arrived and a registered hook left nothing of it."""
    hooks = graph.updates.events.get("hook", [])
    for group in vanished(graph, "hook"):
        mine = [h for h in hooks if set(h.params) & set(group.params) and h.data.get("how") != "module"]
        mine = mine or [h for one in group.losses for h in hooks_at(graph, one)]
        if mine:  # else the parts cancel exactly (the last bias of a difference): nobody's fault
            yield _finding(graph, group.params, mine)
    late = [h for h in hooks if h.data.get("how") == "register_post_accumulate_grad_hook"]
    emptied = [i for i in graph.sick(7) if _empty_at_steps(graph, i) and any(i in h.params for h in late)]
    if emptied:
        yield _finding(graph, emptied, [h for h in late if set(h.params) & set(emptied)])


def _finding(graph: Graph, params: list[int], hooks: list[t.Event]) -> Finding:
    return Finding(
        rule="gradient-hook",
        severity="error",
        title=f"{graph.count(params)} end with a gradient of zero: a gradient arrived, a hook replaced it",
        parameters=graph.names(params),
        link=6,
        causes=distinct([s for h in hooks for s in graph.sites(h.stack, "hook", 1)]),
        evidence={"grad_norm": 0.0},
        fix="Let the hook return the gradient (or None to leave it as it is) for the elements that are to be trained.",
    )


def _empty_at_steps(graph: Graph, index: int) -> bool:
    """Whether the steps found no gradient, and nothing but a hook can have taken it."""
    rows = graph.updates.rows.get(index, [])
    writes = [*graph.updates.touching("zero-grad", index), *graph.updates.touching("grad-set", index)]
    ticks = [graph.trace.backwards[b].tick for b, _ in graph.gradients.good(index)]
    if not rows or not ticks or any(row.grad for _, row in rows):
        return False
    step = graph.trace.steps[rows[-1][0]].tick
    last = max((tick for tick in ticks if tick < step), default=step)
    return not any(last < e.tick < step for e in writes)
