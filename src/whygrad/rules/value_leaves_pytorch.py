"""The value became a Python number or a NumPy array on its way to the loss, and autograd can't follow it there.

## What it means
``.item()``, ``float(t)``, ``.tolist()`` and ``.numpy()`` hand out plain numbers. Whatever is computed from them is a
constant for autograd: as a new tensor (``torch.tensor(total, requires_grad=True)`` has a gradient, but no history) or
as a factor of a loss that has one through other parameters. Nothing upstream of the number gets a gradient.

## How to recognise it
``.grad`` stays None for a part of the model, while the loss is made of sums of numbers, a list of floats, ``np.mean``, or
is wrapped into a tensor just before ``backward``.

## Example
```python
total += criterion(model(x), y).item()
loss = torch.tensor(total, requires_grad=True)
```

## Use instead
```python
total = total + criterion(model(x), y)
loss = total
```

## Not this rule
Numbers for printing, early stopping, metrics, rewards and baselines. Tensors copied by ``torch.tensor`` are
``rebuilt-tensor``, ``.detach()`` is ``detached-path``.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html
- https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Severity, Site
from whygrad.graph import Graph, blamed, distinct, escapes, group

_SHOWN = 4
_FEW = 64  #: elements of a parameter that is read out as numbers on purpose, such as weights of losses


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose values were turned into numbers, while the loss was built from numbers."""
    for indices, _, ops in blamed(graph, "escaped"):
        left = [e for op in ops for e in escapes(graph, op)]
        back = [s for op in ops for s in graph.op_sites(op, "rebuilt", 0)]
        yield _finding(graph, indices, left, back)
    sick = [i for i in graph.sick(4) if i in graph.updates.holders]
    events = graph.updates.events.get("escape", [])
    returns = graph.updates.events.get("return", [])
    for places, indices in group((_left(graph, i, events), i) for i in sick):
        left = [events[n] for n in places]
        values = {v for e in left for v in e.values}
        used = [
            s for e in returns if values.intersection(e.values) for s in graph.sites(e.stack, "returned", 0)
        ]
        rebuilt = used or _rebuilt(graph, indices)
        if left and rebuilt:
            yield _finding(graph, indices, left, rebuilt)
        elif left and not values & graph.flow.from_data and all(_few(graph, i) for i in indices):
            yield _finding(graph, indices, left, [], "warning")


def _few(graph: Graph, index: int) -> bool:
    return math.prod(graph.trace.params[index].shape) <= _FEW


def _finding(
    graph: Graph, indices: list[int], left: list[t.Event], back: Iterable[Site], severity: Severity = "error"
) -> Finding:
    how = ", ".join(sorted({f"{e.data.get('how')}".strip("_") + "()" for e in left}))
    stacks = list(dict.fromkeys(e.stack for e in left))[:_SHOWN]
    return Finding(
        rule="value-leaves-pytorch",
        severity=severity,
        title=f"{graph.count(indices)} get no gradient: their values leave PyTorch through {how}",
        parameters=graph.names(indices),
        link=4,
        causes=distinct([*(s for stack in stacks for s in graph.sites(stack, "left", 1)), *back]),
        evidence={"grad_norm": None, "escapes": len(left)},
        fix="Keep the tensor: leave out the conversion and compute the loss with tensor operations "
        "(torch.stack for a list of scalars); convert to numbers only for printing.",
    )


def _left(graph: Graph, index: int, events: list[t.Event]) -> tuple[int, ...]:
    """The first escape at each distinct place that took away a value computed from the parameter."""
    below = graph.flow.downstream(index)
    places: dict[int, int] = {}
    for number, event in enumerate(events):
        if any(v in below for v in event.values):
            places.setdefault(event.stack, number)
    return tuple(places.values())


def _rebuilt(graph: Graph, indices: list[int]) -> list[Site]:
    """Where a loss was made from numbers after the last use of the parameters, and before backward."""
    trace, flow = graph.trace, graph.flow
    uses = sorted({trace.ops[op].tick for i in indices for op in flow.downstream(i).values() if op >= 0})
    imports = graph.updates.events.get("import", ())
    stacks: dict[int, None] = {}
    before = 0
    for number, backward in enumerate(trace.backwards):
        last = max((tick for tick in uses if before < tick < backward.tick), default=backward.tick)
        places = {e.stack for e in imports if last < e.tick < backward.tick}
        for vid in flow.loss_histories[number] if places else ():
            value = trace.values[vid]
            here = (flow.kind(value.op).stack,) if value.op >= 0 else ()
            stacks.update(dict.fromkeys(stack for stack in (*value.imports, *here) if stack in places))
        before = backward.tick
    return [s for stack in list(stacks)[:3] if stack >= 0 for s in graph.sites(stack, "rebuilt", 0)]
