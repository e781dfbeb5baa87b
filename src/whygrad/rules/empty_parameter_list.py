"""An optimizer was made from an empty list of parameters.

## What it means

`torch.optim` raises "optimizer got an empty parameter list" if it is given nothing to train: the model has no
registered parameters (its layers lie in a list or a dict), all of them were frozen and filtered out, or a generator
such as `model.parameters()` had been read to its end before.

## How to recognise it

`len(list(model.parameters()))` is 0, or the same generator object is used in two places.

## Example

```python
parameters = model.parameters()
print(sum(p.numel() for p in parameters))
optimizer = torch.optim.Adam(parameters)
```

## Use instead

```python
parameters = list(model.parameters())
print(sum(p.numel() for p in parameters))
optimizer = torch.optim.Adam(parameters)
```

## Not this rule

Inside a parameter group, `[{"params": generator}]`, an exhausted generator is accepted in silence. The parameters it
would have held are then in no optimizer.

## References

- https://docs.pytorch.org/docs/stable/optim.html#constructing-it
- https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import raised


def check(graph: Graph) -> Iterator[Finding]:
    """Why there was nothing to give: hidden parameters, frozen ones, or a generator that had been used up."""
    error = raised(graph, "optimizer got an empty parameter list")
    if error is None:
        return
    link, why, indices, places, fix = _reason(graph)
    yield Finding(
        rule="empty-parameter-list",
        severity="error",
        title=f"an optimizer was made with nothing to train: {why}",
        parameters=graph.names(indices),
        link=link,
        causes=distinct([*places, *graph.sites(error.stack, "optimizer", 1)]),
        evidence={"requires_grad": False} if link == 2 else {},
        fix=fix,
    )


def _reason(graph: Graph) -> tuple[int, str, list[int], list[Site], str]:
    params = graph.trace.params
    own = [i for i, p in enumerate(params) if p.role == "parameter" and p.named and p.alive]
    hidden = [i for i in own if params[i].hidden]
    registered = [i for i in own if params[i].registered and not params[i].hidden]
    if hidden and not registered:
        first = params[hidden[0]]
        places = [graph.site(n, "assigned", True) for n in first.bound]
        places += graph.sites(first.assigned, "assigned", 1, True)
        why = f"the model's parameters are in {first.container}, where its module tree does not look"
        return 1, why, hidden, places, "Use nn.ModuleList or nn.ModuleDict (nn.ParameterList for parameters)."
    if registered and not any(params[i].requires_grad for i in registered):
        flips = dict.fromkeys(params[i].flips[-1].stack for i in registered if params[i].flips)
        places = [s for stack in list(flips)[:3] for s in graph.sites(stack, "frozen", 1)]
        return (
            2,
            "all parameters are frozen",
            registered,
            places,
            "Leave those that are to be trained out of the freezing.",
        )
    if registered:
        why = "the model has parameters, but the generator had been read to its end before"
        return 8, why, registered, [], "Call model.parameters() again, or make a list of it first."
    return (
        0,
        "no parameter of a model was seen",
        [],
        [],
        "Give the optimizer the parameters of a module that has some.",
    )
