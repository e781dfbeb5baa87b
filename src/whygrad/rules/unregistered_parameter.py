"""A tensor that is meant to be learned is a plain attribute of its module, not a Parameter.

## What it means
Assigning an ``nn.Parameter`` to a module registers it. Assigning any other tensor only sets a Python attribute, even if
it requires grad. The result of an operation on a Parameter is such a plain tensor: ``nn.Parameter(t).to(device)``,
``.cuda()``, ``.double()``, ``.view(...)`` or ``nn.Parameter(t) * 0.1`` (``.to`` gives the Parameter itself only where
nothing has to be converted, so that the fault depends on the machine). Gradients flow to the tensor or to the lost
Parameter behind it, but ``parameters()`` contains neither, so that no optimizer changes them.

## How to recognise it
The attribute has a ``.grad`` (or, behind a conversion, is no leaf), is missing from ``model.named_parameters()`` and
from ``state_dict()``, and keeps its first value.

## Example
```python
self.scale = nn.Parameter(torch.ones(1)).double()
self.bias = torch.zeros(8, requires_grad=True)
```

## Use instead
```python
self.scale = nn.Parameter(torch.ones(1).double())
self.bias = nn.Parameter(torch.zeros(8))
```

## Not this rule
A constant without ``requires_grad``; a leaf tensor that an optimizer holds (``log_alpha`` in SAC); an input for which
``torch.autograd.grad`` asks (the points of a physics-informed network, adversarial perturbations).

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Leaves that get gradients, sit in a module as plain (or converted) tensors, and that no optimizer holds."""
    params = graph.trace.params
    asked = {g.param for b in graph.trace.backwards if b.kind == "grad" for g in b.grads}
    plain = [i for i in graph.sick(1) if params[i].hidden in ("attribute", "converted") and i not in asked]
    for _, indices in group((params[i].created, i) for i in plain):
        first = params[indices[0]]
        converted = first.hidden == "converted"
        what = (
            "a result computed from an nn.Parameter, not the Parameter"
            if converted
            else "a plain tensor, not an nn.Parameter"
        )
        fix = (
            "Convert the tensor first and wrap it last: nn.Parameter(tensor.to(...))."
            if converted
            else "Wrap it: self.name = nn.Parameter(tensor), so that parameters() contains it."
        )
        yield Finding(
            rule="unregistered-parameter",
            severity="error",
            title=f"{', '.join(graph.names(indices))} is {what}: no optimizer holds it",
            parameters=graph.names(indices),
            link=1,
            causes=distinct(
                [
                    *_conversion(graph, indices[0]),
                    *graph.sites(first.created, "created", 1),
                    *graph.sites(first.assigned, "assigned", 0),
                ]
            ),
            path=graph.path(indices[0]),
            evidence={"grad_norm": graph.gradients.of[indices[0]][-1][1].norm, "weight_change": 0.0},
            fix=fix,
        )


def _conversion(graph: Graph, index: int) -> tuple[Site, ...]:
    """Where a Parameter became a plain tensor: the operation that used it first, before any loss."""
    first = min((b.tick for b in graph.trace.backwards), default=0)
    early = [op for op in graph.flow.uses(index) if graph.trace.ops[op].tick < first]
    if graph.trace.params[index].hidden != "converted" or not early:
        return ()
    return graph.op_sites(min(early), "converted", 0)
