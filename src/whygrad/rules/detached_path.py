"""The path from the parameter to the loss is cut by detach() or .data.

## What it means

`detach()` and `.data` hand the numbers on and leave their history behind. Backward stops there: what lies before the
cut gets no gradient from this loss, however good the loss looks. The rule speaks only if a parameter that an optimizer
holds reaches the loss by value, and every way it takes is cut.

## How to recognise it

`parameter.grad` stays `None`, while the layers after the cut train. The loss often falls, since these can make up for a
part that stays random.

## Example

```python
features = encoder(x).detach()          # meant for a plot, or copied from the discriminator's step of a GAN
loss = criterion(head(features), y)
```

## Use instead

```python
features = encoder(x)
loss = criterion(head(features), y)
shown = features.detach()
```

## Not this rule

Stop-gradients on purpose: targets and teachers (BYOL, DQN), the discriminator's step of a GAN, truncated
back-propagation through time, baselines and advantages, `z + (q - z).detach()`. In each of them the parameter gets its
gradient by another way or in another step.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
- https://docs.pytorch.org/docs/stable/notes/autograd.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, blamed, distinct
from whygrad.graph.mending import without


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose value reaches the loss only through ``detach()`` or ``.data``."""
    for indices, which, ops in blamed(graph, "detach"):
        how = graph.label(ops[0])
        shown = ".data" if how == "data" else f"{how}()"
        cuts = [site for op in ops for site in graph.op_sites(op, "cut", 0)]
        yield Finding(
            rule="detached-path",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: the path to the loss is cut by {shown}",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([s for op in ops for s in graph.op_sites(op, "cut")]),
            path=graph.path(indices[0], ops[0], which),
            evidence={"grad_norm": None, "backward_passes": len(graph.flow.by_value.get(indices[0], []))},
            fix=f"Remove {shown} here, or give the loss a value that has not passed through it.",
            edits=without(distinct(cuts), how),
        )
