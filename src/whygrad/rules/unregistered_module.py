"""Layers are kept where nn.Module does not look: in a list, a dict, a function or an ordinary object.

## What it means
``nn.Module`` finds its parameters through its attributes: a Parameter, a Module, or one of torch's own containers.
A layer in a plain Python list, tuple or dict, in an object that is no Module, in a closure or a ``functools.partial``,
or in a class attribute takes part in the forward pass and gets gradients, but ``model.parameters()`` does not list it.
No optimizer holds it, ``state_dict`` does not save it and ``model.to(device)`` leaves it behind.

## How to recognise it
The loss still falls, because the layers around it train and learn to live with random, fixed ones in between.
``sum(p.numel() for p in model.parameters())`` is smaller than it should be, and ``print(model)`` does not show them.

## Example
```python
self.layers = [nn.Linear(8, 8) for _ in range(3)]
```

## Use instead
```python
self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
```
``nn.ModuleDict`` for a dict, ``nn.ParameterList`` for Parameters; a class that holds layers derives from ``nn.Module``.

## Not this rule
A teacher or a perceptual network is often put in a list on purpose, so that it is neither saved nor trained. It is
left alone if it is frozen, in eval mode, or used without gradients. So are layers in a list whose parameters the
script hands to an optimizer itself. A plain tensor as an attribute is ``unregistered-parameter``.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
- https://docs.pytorch.org/docs/stable/notes/modules.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group
from whygrad.graph.mending import registered_list

_WHERE = {
    "list": (
        "a plain Python list",
        "Put the modules into an nn.ModuleList (parameters into an nn.ParameterList).",
    ),
    "dict": (
        "a plain Python dict",
        "Put the modules into an nn.ModuleDict (parameters into an nn.ParameterDict).",
    ),
    "object": (
        "an object that is not an nn.Module",
        "Let the class of that object derive from nn.Module and call super().__init__() in it.",
    ),
    "function": (
        "a function that the model keeps",
        "Assign the layer to an attribute of the model and use that.",
    ),
    "bypass": (
        "an attribute that nn.Module was passed by for (__dict__, object.__setattr__)",
        "Assign it with `self.name = layer`, after super().__init__().",
    ),
    "class": ("an attribute of the class, not of the model", "Create it in __init__ and assign it to self."),
}


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters where the module tree does not look, that get gradients and that no optimizer holds."""
    params, frames = graph.trace.params, graph.trace.frames
    hidden = [i for i in graph.sick(1) if params[i].hidden in _WHERE]
    for _, indices in group(((params[i].root, params[i].container), i) for i in hidden):
        first = params[indices[0]]
        where, fix = _WHERE[first.hidden]
        norms = [g.norm for i in indices for _, g in graph.gradients.of.get(i, ())[-1:]]
        yield Finding(
            rule="unregistered-module",
            severity="error",
            title=f"{graph.count(indices)} are unknown to the model: {first.container} is in {where}",
            parameters=graph.names(indices),
            link=1,
            causes=distinct(
                [
                    *(
                        graph.site(n, "assigned", True)
                        for n in sorted(first.bound, key=lambda n: frames[n].line)
                    ),
                    *graph.sites(first.assigned, "assigned", 0, True),
                    *graph.sites(first.created, "created", 1, True),
                ]
            ),
            path=graph.path(indices[0]),
            evidence={"grad_norm": max(norms, default=None), "optimizer": None, "weight_change": 0.0},
            fix=f"{fix} As it is, parameters() does not contain them, so the optimizer never sees them.",
            edits=registered_list(graph.sites(first.assigned, "assigned", 0, True))
            if first.hidden == "list"
            else (),
        )
