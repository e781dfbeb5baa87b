"""A Parameter is made anew at every call, so that what it could have learned is thrown away each time.

## What it means
``nn.Parameter(...)`` or a layer such as ``nn.Linear(...)`` inside ``forward`` (or in something that it calls) makes a
new tensor with new initial values in every pass. It gets a gradient, but it is not the tensor that the optimizer was
built with, and in the next pass it is gone. If the name existed before, the optimizer goes on holding the first one,
which nothing uses any more.

## How to recognise it
``id(model.scale)`` changes from step to step, its value never gets anywhere, and a layer that should learn behaves as
noise or as a constant.

## Example
```python
def forward(self, x):
    self.scale = nn.Parameter(torch.ones(1))
    return self.scale * x
```

## Use instead
```python
def __init__(self):
    super().__init__()
    self.scale = nn.Parameter(torch.ones(1))
```
Where a size is known only from the input, use ``nn.LazyLinear`` and the like, or create it in the first call only.

## Not this rule
A copy of the model for every task (Reptile), a perturbation whose gradient is read, a head with its own optimizer.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyLinear.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, group

_OFTEN = 2  #: times that it was made again after the first backward pass


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters made by one line again and again while training runs, that get gradients nobody uses."""
    params = graph.trace.params
    first = min((b.tick for b in graph.trace.backwards), default=0)
    asked = {g.param for b in graph.trace.backwards if b.kind == "grad" for g in b.grads}
    later = [
        (p.created, i)
        for i, p in enumerate(params)
        if p.role == "parameter" and p.created_tick > first and i not in asked and _lost(graph, i)
    ]
    for created, indices in group(later):
        # those of one name take each other's place; without a name, those of one shape do
        kinds = dict(group(((params[i].fqn if params[i].named else "", params[i].shape), i) for i in indices))
        times = max(map(len, kinds.values()))
        if times < _OFTEN:
            continue
        names = graph.names(members[-1] for members in kinds.values())
        yield Finding(
            rule="parameter-created-in-forward",
            severity="error",
            title=f"{', '.join(names[:3])} is created anew {times} times while training: what it learns is thrown away",
            parameters=names,
            link=8,
            causes=graph.sites(created, "created", 3),
            evidence={
                "created": times + 1,
                "grad_norm": max(g.norm for i in indices for _, g in graph.gradients.of[i]),
                "weight_change": 0.0,
            },
            fix="Create it once, in __init__; forward may only use it.",
        )


def _lost(graph: Graph, index: int) -> bool:
    """Whether it got a gradient that no optimizer holds it for and that nothing else looks at."""
    own, grads = graph.trace.params[index], graph.gradients.of.get(index)
    if index in graph.updates.holders or own.origin & t.PARAMETER or not grads:
        return False
    begun = graph.trace.backwards[grads[0][0]].tick  # writes before are its initialisation
    used = [*graph.updates.touching("grad-read", index), *graph.updates.touching("write", index)]
    return not any(e.tick > begun for e in used)
