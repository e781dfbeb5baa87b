"""A hand-written update computes the new value and does not write it into the parameter.

## What it means
``p = p - lr * p.grad`` makes a new tensor and binds the name ``p`` to it. In a loop over ``model.parameters()``, in a
function that got the tensor as an argument, or over the values of a dict, nobody else sees that name: the model keeps the
old tensor. The same goes for ``p.sub(...)`` without the underscore and for a list of new weights that is not used.

## How to recognise it
The loss is the same in every epoch (with the same data, digit for digit), while ``p.grad`` is not zero.

## Example
```python
with torch.no_grad():
    for p in model.parameters():
        p = p - lr * p.grad
```

## Use instead
```python
with torch.no_grad():
    for p in model.parameters():
        p -= lr * p.grad
```
``p.sub_(lr * p.grad)`` does the same; or use ``torch.optim.SGD``.

## Not this rule
Functional code that goes on with the new tensors; gradients that are only looked at (saliency, sensitivity).

## References
- https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sub_.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group
from whygrad.graph.flow import ALIASES


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters in no optimizer that get gradients and never change, where the script has no optimizer at all."""
    if graph.updates.has_optimizer():
        return
    idle = [i for i in graph.sick(8) if i not in graph.updates.holders and len(graph.gradients.good(i)) > 1]
    for stacks, indices in group((_dropped(graph, i), i) for i in idle):
        places = [s for stack in stacks for s in graph.sites(stack, "not written", 1)]
        if not places and not any(_trained_for(graph, i) for i in indices):
            continue
        backward = graph.sites(graph.trace.backwards[-1].stack, "backward", 0)
        yield Finding(
            rule="update-not-written",
            severity="error",
            title=f"{graph.count(indices)} get gradients and never change: "
            + ("the updated value is computed and thrown away" if places else "nothing updates them"),
            parameters=graph.names(indices),
            link=8,
            causes=distinct([*places, *backward]),
            evidence={"grad_norm": graph.gradients.of[indices[0]][-1][1].norm, "weight_change": 0.0},
            fix="Write in place under torch.no_grad(): p -= lr * p.grad (or p.sub_(...)); `p = p - ...` only binds the name "
            "to a new tensor."
            if places
            else "Build an optimizer over the parameters and call its step() after backward().",
        )


def _trained_for(graph: Graph, index: int) -> bool:
    """Whether the script does something that only training does: reads, clears or clips the gradient."""
    kinds = ("grad-read", "grad-set", "zero-grad", "clip")
    return any(graph.updates.touching(kind, index) for kind in kinds)


def _dropped(graph: Graph, index: int) -> tuple[int, ...]:
    """Places where a tensor of the parameter's own shape is computed from it and nothing takes the result; of those
    in the statement that reads the gradient, if there are such."""
    trace, flow = graph.trace, graph.flow
    shape = trace.params[index].shape
    lost: dict[int, None] = {}
    for op in _uses(graph, index):
        outs = trace.ops[op].outs
        if outs and trace.values[outs[0]].shape == shape and all(_unused(graph, v) for v in outs):
            lost.setdefault(flow.kind(op).stack)
    reads = {graph.statement(e.stack) for e in graph.updates.touching("grad-read", index)}
    near = [stack for stack in lost if graph.statement(stack) in reads]
    return tuple(near or [stack for stack in lost if stack >= 0])


def _uses(graph: Graph, index: int) -> list[int]:
    """Operations on the parameter, or on an alias of it such as ``p.data``, that compute something new."""
    found, queue = [], list(graph.flow.uses(index))
    for op in queue:
        if graph.flow.kind(op).name in ALIASES:
            queue += [c for v in graph.trace.ops[op].outs for c in graph.flow.consumers.get(v, ())]
        else:
            found.append(op)
    return found


def _unused(graph: Graph, value: int) -> bool:
    """Whether nothing but a copy, itself unused, takes a value."""
    if graph.trace.values[value].param >= 0 and graph.flow.uses(graph.trace.values[value].param):
        return False
    return all(
        graph.flow.kind(op).name in ALIASES and all(_unused(graph, v) for v in graph.trace.ops[op].outs)
        for op in graph.flow.consumers.get(value, ())
    )
