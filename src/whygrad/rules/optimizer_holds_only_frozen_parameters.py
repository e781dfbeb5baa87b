"""Everything an optimizer holds is frozen, so that its steps change nothing.

## What it means
``optimizer.step()`` passes over parameters without a gradient in silence. If ``requires_grad`` is False for all that it
holds, every call is in vain: a freezing loop took the head along with the backbone, or the discriminator (the critic, the
teacher's head) was frozen for another update and never switched on again.

## How to recognise it
``any(p.requires_grad for g in optimizer.param_groups for p in g["params"])`` is False while the loop goes on stepping.

## Example
```python
set_requires_grad(discriminator, False)
generator_loss.backward()
```

## Use instead
```python
set_requires_grad(discriminator, False)
generator_loss.backward()
set_requires_grad(discriminator, True)
```

## Not this rule
An optimizer whose stage of training is over and that is not stepped any more, a freeze that is taken back.

## References
- https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
- https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct


def check(graph: Graph) -> Iterator[Finding]:
    """Optimizers whose parameters were all frozen during the last part of the window."""
    params = graph.trace.params
    for index, optimizer in enumerate(graph.trace.optimizers):
        held = [p for group in optimizer.groups for p in group.params]
        if not held or any(graph.broken[i] != 0 for i in held) or not graph.trace.backwards:
            continue
        if not _still_used(graph, index, held):
            continue
        flips = sorted(
            {params[i].flips[-1].stack for i in held if params[i].flips and not params[i].flips[-1].value}
        )
        places: list[Site] = [s for stack in flips for s in graph.sites(stack, "frozen", 2)]
        stepped = sum(1 for s in graph.trace.steps if s.optimizer == index)
        yield Finding(
            rule="optimizer-holds-only-frozen-parameters",
            severity="error",
            title=f"{optimizer.kind} can train nothing: all {len(set(held))} parameters it holds are frozen",
            parameters=graph.names(held),
            link=2,
            causes=distinct([*places, *graph.sites(optimizer.created, "optimizer", 0)]),
            evidence={"requires_grad": False, "steps": stepped, "grad_norm": None},
            fix=_fix(graph, held),
        )


def _still_used(graph: Graph, index: int, held: list[int]) -> bool:
    """Whether the loop goes on with this optimizer after the freeze (one whose stage of training is over is fine)."""
    frozen = max((f.tick for i in held for f in graph.trace.params[i].flips), default=0)
    steps = sum(1 for s in graph.trace.steps if s.optimizer == index and s.tick > frozen)
    clears = sum(
        1 for e in graph.updates.events.get("zero-grad", ()) if e.optimizer == index and e.tick > frozen
    )
    last = len(graph.trace.backwards) - 1
    failed = bool(graph.trace.backwards[last].raised) and any(
        last in graph.flow.by_value.get(i, ()) for i in held
    )
    return steps >= 2 or clears >= 2 or failed


def _fix(graph: Graph, held: list[int]) -> str:
    trained_once = any(graph.gradients.of.get(i) for i in held)
    if trained_once:
        return "They trained at first and were frozen inside the loop: call requires_grad_(True) on them again before their own update."
    return "Take these parameters out of the freezing loop, or give the optimizer the parameters that are to be trained."
