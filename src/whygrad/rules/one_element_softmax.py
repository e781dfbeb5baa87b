"""A softmax over a dimension of size 1 is the constant 1.

## What it means

Softmax makes the elements along one dimension sum to 1. If there is only one, it is 1 whatever went in, so that its
derivative is 0: everything that the loss sees only through this softmax gets a gradient of zeros. The same holds for
`log_softmax` (always 0), `cross_entropy` with a single class, and attention over a single key.

## How to recognise it

`parameter.grad` is a tensor of exact zeros, not `None`. All predictions are 1, or all attention weights are equal.

## Example

```python
scores = attention(states)                    # [batch, time, 1]
weights = torch.softmax(scores, dim=-1)       # over the 1
```

## Use instead

```python
scores = attention(states)
weights = torch.softmax(scores, dim=1)        # over time
```

A yes-or-no classifier with one output takes a sigmoid: `binary_cross_entropy_with_logits`.

## Not this rule

Batches in which a sequence happens to have length 1, among others that are longer.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, vanished
from whygrad.graph.sources import made_and_called


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose only way to the loss leads through a softmax over one element."""
    for group in vanished(graph, "one-element-softmax"):
        loss = group.losses[0]
        name = graph.label(loss.op) if loss.op >= 0 else "softmax"
        given = (
            [graph.trace.values[v].shape for v in graph.trace.ops[loss.op].ins[:1]] if loss.op >= 0 else []
        )
        shape = f" (its input has shape {list(given[0])})" if given else ""
        yield Finding(
            rule="one-element-softmax",
            severity="error",
            title=f"{graph.count(group.params)} get a gradient of exactly zero: {name} normalises over a dimension of size 1",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct(
                [
                    s
                    for one in group.losses
                    if one.op >= 0
                    for s in (*made_and_called(graph, one.op, "zeroed"), *graph.op_sites(one.op, "zeroed"))
                ]
            ),
            path=graph.path(group.params[0], loss.op) if loss.op >= 0 else (),
            evidence={
                "grad_norm": 0.0,
                "arrives": graph.gradients.arriving(loss),
                "shape": str([*given[0]] if given else ""),
            },
            fix=f"Normalise over the dimension that holds the alternatives{shape}: the softmax of one element is always "
            "1. For two classes and one output use a sigmoid (binary_cross_entropy_with_logits).",
        )
