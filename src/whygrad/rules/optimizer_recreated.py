"""A new optimizer is made again and again, so that what it had learnt of the gradients is lost.

## What it means

Adam's averages, and the momentum of SGD, are kept in the optimizer. Made anew in every iteration, Adam knows a single
gradient: each step is the sign of it, as long as the learning rate, for noise as for signal. SGD with momentum has none.
A scheduler that was built on the first one acts on nothing.

## How to recognise it

The line that makes the optimizer stands inside the loop. `optimizer.state[p]["step"]` is 1 in every iteration.

## Example

```python
for x, y in loader:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    ...
    optimizer.step()
```

## Use instead

```python
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for x, y in loader:
    ...
    optimizer.step()
```

## Not this rule

A new optimizer for another model, for a new stage (other parameters or learning rates), or after the parameters were set
(a task in meta-learning, a restart); SGD without momentum, which keeps nothing. One that is made once an epoch is a
warning only if it takes no more than 5 steps: beyond that, Adam's averages of the gradient (0.9) have mostly formed anew.

## References

- https://docs.pytorch.org/docs/stable/optim.html
- https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, group
from whygrad.graph.reduction import adaptive

_TIMES = 3  #: optimizers of one place that must have been seen
_SETTING = ("copy_", "data =", "uniform_", "normal_", "orthogonal_", "zero_", "fill_")
_STEPS = 5  #: steps of each, above which its state has formed


def check(graph: Graph) -> Iterator[Finding]:
    """Optimizers with a state, made at one place for the same parameters, each of which took a few steps only."""
    made = [i for i, o in enumerate(graph.trace.optimizers) if o.torch and o.steps and o.created >= 0]
    for _, numbers in group((_alike(graph.trace.optimizers[i]), i) for i in made):
        own = [graph.trace.optimizers[i] for i in numbers]
        params = sorted({p for g in own[-1].groups for p in g.params})
        steps = sorted(o.steps for o in own[:-1])
        if len(own) < _TIMES or not _has_state(own[0]) or steps[len(steps) // 2] > _STEPS:
            continue
        if any(_set_between(graph, params, a.created_tick, b.created_tick) for a, b in pairwise(own)):
            continue
        typical = steps[len(steps) // 2]
        yield Finding(
            rule="optimizer-recreated",
            severity="error" if typical == 1 else "warning",
            title=f"{graph.count(params)}: a new {own[0].kind} is made for them {len(own)} times, each takes {typical} "
            f"step{'s' if typical > 1 else ''}; its state is lost every time",
            parameters=graph.names(params),
            link=10,
            causes=graph.sites(own[-1].created, "optimizer", 1),
            evidence={"optimizers": len(own), "steps_of_each": typical},
            fix="Make the optimizer once, in front of the loop.",
        )


def _alike(optimizer: t.Optimizer) -> tuple[object, ...]:
    groups = tuple((g.params, g.lr if len(optimizer.groups) > 1 else None) for g in optimizer.groups)
    return optimizer.created, optimizer.kind, groups


def _has_state(optimizer: t.Optimizer) -> bool:
    momentum = any(g.options.get("momentum") for g in optimizer.groups)
    return momentum or adaptive(optimizer)


def _set_between(graph: Graph, params: list[int], begin: int, end: int) -> bool:
    """Whether the script wrote most of the parameters between two moments, as a new task or a restart does."""
    written = {
        p
        for e in graph.updates.events.get("write", ())
        if begin < e.tick < end and str(e.data.get("op")).endswith(_SETTING)
        for p in e.params
    }
    return 2 * len(written & set(params)) > len(params)
