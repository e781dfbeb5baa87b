"""A freeze of the whole model also froze layers that had been added in order to be trained.

## What it means
``requires_grad_(False)`` on a model, or a loop over its parameters, takes everything that is in it at that moment. If
LoRA layers, adapters, prompts or a new head were put in before, they are frozen at their initial values with the rest.
With a zero-initialised part (LoRA's ``B``) the addition does nothing at all.

## How to recognise it
Far fewer trainable parameters than expected, or none (then ``backward`` raises); the added tensors have
``requires_grad`` False and values that nobody trained or loaded.

## Example
```python
add_lora(model)
model.requires_grad_(False)
```

## Use instead
```python
model.requires_grad_(False)
add_lora(model)
```
Or switch the new parts on again afterwards. Build the optimizer last.

## Not this rule
Freezing a backbone that was built (or handed over) as a whole, a teacher or a target network; freezing a stage that
has been trained.

## References
- https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters added to a finished (or ready-made) model and then frozen together with older ones."""
    params = graph.trace.params
    frozen = [i for i in graph.sick(0) if params[i].flips and i in graph.flow.by_value]
    for stack, indices in group((params[i].flips[-1].stack, i) for i in frozen):
        added = [i for i in indices if _added(graph, i)]
        if not added or not _blanket(graph, stack, added):
            continue
        dead = [i for i in added if _all_zero(params[i]) and len(params[i].shape) > 1]
        yield Finding(
            rule="frozen-by-later-freeze",
            severity="error" if dead or graph.trace.raised else "warning",
            title=f"{graph.count(added)} were added to the model and then frozen with all the rest",
            parameters=graph.names(added),
            link=2,
            causes=graph.sites(stack, "frozen", 1) + graph.sites(params[added[0]].created, "created", 0),
            evidence={
                "requires_grad": False,
                "grad_norm": None,
                "weight_change": 0.0,
                "all_zero": len(dead),
            },
            fix="Freeze the model before the new layers are added, or switch the new ones back on afterwards "
            "(requires_grad_(True)); build the optimizer after that.",
        )


def _added(graph: Graph, index: int) -> bool:
    """At random or zero values, never trained, and put into its model when the model was there already."""
    param = graph.trace.params[index]
    fresh = param.origin & (t.RANDOM | t.ZEROS) and not param.origin & (t.LOADED | t.PARAMETER)
    if not fresh or graph.gradients.of.get(index):
        return False
    return param.late or (
        not param.brought and any(p.brought and p.root == param.root for p in graph.trace.params)
    )


def _blanket(graph: Graph, stack: int, added: list[int]) -> bool:
    """Whether the same line froze other, older parameters too."""
    touched = {
        p for e in graph.updates.events.get("set-requires-grad", ()) if e.stack == stack for p in e.params
    }
    return bool(touched - set(added)) and any(not _added(graph, i) for i in touched - set(added))


def _all_zero(param: t.Param) -> bool:
    return param.last is not None and param.last[1] == 0
