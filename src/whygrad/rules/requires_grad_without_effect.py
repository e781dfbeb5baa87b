"""A statement meant to make parameters trainable has no effect on any parameter.

## What it means
``requires_grad`` is an attribute of tensors. ``nn.Module`` has none: ``module.requires_grad = True`` sets a Python
attribute that nothing reads, and says nothing. So does a misspelt name on a parameter (``require_grad``,
``requires_gard``), a comparison in place of an assignment (``p.requires_grad == True``), and the method
``requires_grad_`` without its call. The parameters stay frozen.

## How to recognise it
``[p.requires_grad for p in module.parameters()]`` is still all False after the line that was to change it.

## Example
```python
model.backbone.requires_grad = True
```

## Use instead
```python
model.backbone.requires_grad_(True)
```

## Not this rule
Modules with an attribute of that name for their own use, whose parameters are trainable or are switched on elsewhere.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.mending import method_for_assignment


def check(graph: Graph) -> Iterator[Finding]:
    """``module.requires_grad = True``, misspelt attributes and idle statements, for what is frozen to the end."""
    params = graph.trace.params
    for event in graph.updates.events.get("module-requires-grad", ()):
        frozen = [i for i in event.params if graph.broken[i] == 0 and not _switched(graph, i, event.tick)]
        # a constructor that keeps a flag of its own is no attempt to change anything
        if event.data.get("value") and frozen and not _in_constructor(graph, event.stack):
            yield _finding(
                graph,
                frozen,
                event.stack,
                "a module has no requires_grad, the assignment does nothing",
                "Call the method: module.requires_grad_(True) sets requires_grad of every parameter in it.",
            )
    for event in graph.updates.events.get("odd-attribute", ()):
        frozen = [i for i in event.params if graph.broken[i] == 0 and params[i].registered]
        name = str(event.data.get("name"))
        if not frozen:
            continue
        idle = "." in name
        held = [i for i in frozen if i in graph.updates.holders]
        yield _finding(
            graph,
            held or frozen if idle else frozen,
            event.stack,
            f"`{name}` changes nothing"
            if idle
            else f"the attribute {name} is a misspelling of requires_grad",
            "Write parameter.requires_grad = True, or call module.requires_grad_(True), which can't be misspelt "
            "in silence.",
        )


def _finding(graph: Graph, frozen: list[int], stack: int, why: str, fix: str) -> Finding:
    place = graph.sites(stack, "no effect", 0)
    return Finding(
        rule="requires-grad-without-effect",
        severity="error",
        title=f"{graph.count(frozen)} stay frozen: {why}",
        parameters=graph.names(frozen),
        link=2,
        causes=graph.sites(stack, "no effect", 1),
        evidence={"requires_grad": False, "grad_norm": None, "weight_change": 0.0},
        fix=fix,
        edits=method_for_assignment(place, "requires_grad", "requires_grad_"),
    )


def _in_constructor(graph: Graph, stack: int) -> bool:
    return stack >= 0 and graph.trace.frames[graph.trace.stacks[stack][0]].function.endswith("__init__")


def _switched(graph: Graph, index: int, tick: int) -> bool:
    """Whether the parameter was switched on properly later on, or frozen only later."""
    return any(flip.tick > tick for flip in graph.trace.params[index].flips)
