"""The optimizer holds a parameter that the model no longer uses: another object has taken its place.

## What it means
An optimizer keeps the tensor objects that it was built with. If a layer is replaced afterwards (a new head, a resized
embedding, a reset that assigns new Parameters), or if the model is built again or a deep copy of it is trained, the
optimizer goes on with the old objects. They get no gradient; the new ones get gradients that nobody applies.

## How to recognise it
The loss does not fall, or the new part of the model stays random, and nothing complains.
``any(p is q for q in model.parameters())`` is False for parameters of the optimizer.

## Example
```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.fc = nn.Linear(512, 10)
```

## Use instead
```python
model.fc = nn.Linear(512, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
```
Later on, ``optimizer.add_param_group({"params": model.fc.parameters()})`` adds what is new.

## Not this rule
A model that is trained, put away and followed by a new one with an optimizer of its own. A Parameter made in every
forward pass is ``parameter-created-in-forward``.

## References
- https://docs.pytorch.org/docs/stable/optim.html#constructing-it
- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.add_param_group.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group, renewed, successors


def check(graph: Graph) -> Iterator[Finding]:
    """Held by an optimizer and out of use, while successors of the same name are in no optimizer."""
    trace, params = graph.trace, graph.trace.params
    found = []
    for i in graph.sick(8):
        if i in graph.updates.holders and graph.stale(i) and not renewed(graph, i):
            new = successors(graph, i)
            found.append(((graph.updates.holders[i][0][0], _place(graph, new[-1]) if new else -1), i))
    for (number, _), members in group(found):
        optimizer = trace.optimizers[number]
        new = [i for member in members for i in successors(graph, member)]
        latest = params[new[-1]] if new else None
        yield Finding(
            rule="optimizer-holds-stale-parameter",
            severity="error",
            title=f"{graph.count(members)}: {optimizer.kind} holds objects that the model no longer uses",
            parameters=graph.names([*members, *new]),
            link=8,
            causes=distinct(
                [
                    *(graph.sites(latest.assigned, "replaced", 1, True) if latest else ()),
                    *(graph.sites(latest.created, "replaced", 2, True) if latest else ()),
                    *graph.sites(optimizer.created, "optimizer", 1),
                ]
            ),
            evidence={
                "grad_norm": None,
                "live_grad_norm": max(
                    (g.norm for i in new for _, g in graph.gradients.of.get(i, ())), default=None
                ),
                "weight_change": 0.0,
            },
            fix="Build the optimizer after the layers are replaced, or give it the new ones with "
            "optimizer.add_param_group({'params': ...}).",
        )


def _place(graph: Graph, index: int) -> tuple[int, ...]:
    """Where a successor came from: the callers of the code that made it, which its siblings share."""
    created = graph.trace.params[index].created
    return graph.trace.stacks[created][1:] if created >= 0 else ()
