"""A freeze inside the training loop is never taken back, so that parameters train once and then never again.

## What it means
Freezing one part while another is updated is common: the discriminator in a GAN's generator step, the critic in an
actor's update, the encoder in a decoder step. ``requires_grad`` keeps its value until something sets it again. Without
the line that switches the part on again, its first update is its last one.

## How to recognise it
The parameters got a gradient in the first pass or two, were then frozen in every iteration by the same line, and
nothing ever set ``requires_grad`` back to True.

## Example
```python
for p in encoder.parameters():
    p.requires_grad = False
decoder_loss.backward()
```

## Use instead
```python
encoder.requires_grad_(False)
decoder_loss.backward()
encoder.requires_grad_(True)
```

## Not this rule
A stage of training that is over: a freeze that happens once, or from a later epoch on. An optimizer all of whose
parameters are frozen is ``optimizer-holds-only-frozen-parameters``.

## References
- https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group

_SOON = 2  #: passes with a gradient before the first freeze; after more, a stage of training may be over


def check(graph: Graph) -> Iterator[Finding]:
    """Trained at first, then frozen again and again by one line, never unfrozen, in an optimizer that goes on."""
    found = [(stack, i) for i in graph.sick(0) if _in_use(graph, i) and (stack := _again(graph, i)) >= 0]
    for stack, indices in group(found):
        optimizer = graph.trace.optimizers[graph.updates.holders[indices[0]][0][0]]
        yield Finding(
            rule="left-frozen-in-loop",
            severity="error",
            title=f"{graph.count(indices)} were frozen inside the loop after their first update and never unfrozen",
            parameters=graph.names(indices),
            link=2,
            causes=distinct(
                [*graph.sites(stack, "frozen", 2), *graph.sites(optimizer.created, "optimizer", 0)]
            ),
            evidence={"requires_grad": False, "passes_with_gradient": len(graph.gradients.of[indices[0]])},
            fix="Call requires_grad_(True) on them again before their own update.",
        )


def _in_use(graph: Graph, index: int) -> bool:
    """Whether an optimizer holds it beside others that still train."""
    for number, _ in graph.updates.holders.get(index, ()):
        held = {i for g in graph.trace.optimizers[number].groups for i in g.params}
        if any(graph.broken[i] is None for i in held):
            return True
    return False


def _again(graph: Graph, index: int) -> int:
    """The place that froze it in several iterations, after it had trained briefly; -1 if there is none."""
    grads = graph.gradients.of.get(index, [])
    flips = graph.trace.params[index].flips
    if not grads or len(grads) > _SOON or not flips or any(f.value for f in flips):
        return -1
    first = graph.trace.backwards[grads[0][0]].tick
    off = [e for e in graph.updates.touching("set-requires-grad", index) if not e.data.get("value")]
    places = [e.stack for e in off if e.tick > first]
    return places[0] if len(set(places)) < len(places) else -1
