"""The path from the parameter to the loss passes through an operation that has no derivative.

## What it means

`argmax`, the indices of `max`, `topk` and `sort`, comparisons, sampling and casts to integers give values that do not
change when their input changes a little. Autograd keeps no history for them: what stands before gets no gradient.

## How to recognise it

`parameter.grad` stays `None`. The result has an integer or boolean dtype, or came from one by `.float()`.

## Example

```python
mask = (torch.sigmoid(score(x)) > 0.5).float()
loss = criterion(head(x * mask), y)
```

## Use instead

```python
soft = torch.sigmoid(score(x))
hard = (soft > 0.5).float()
mask = soft + (hard - soft).detach()    # the hard value, the gradient of the soft one
loss = criterion(head(x * mask), y)
```

For choices among several: softmax weights, or `gumbel_softmax(hard=True)`. For sampled actions: the log-probability of
the sample times its reward; for sampled reals `rsample()`.

## Not this rule

Accuracy and other metrics. Indices that only select, where the selected scores take part in the loss themselves.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gumbel_softmax.html
- https://docs.pytorch.org/docs/stable/distributions.html#score-function
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, blamed, distinct


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters that reach the loss only through argmax, a comparison, sampling or a cast to integers."""
    for indices, which, ops in blamed(graph, "non-differentiable"):
        labels = ", ".join(dict.fromkeys(graph.label(op) for op in ops))
        yield Finding(
            rule="non-differentiable-path",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: {labels} gives a value that has no derivative",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([s for op in ops for s in graph.op_sites(op, "cut")]),
            path=graph.path(indices[0], ops[0], which),
            evidence={"grad_norm": None},
            fix="Pass on a differentiable value: softmax weights, gumbel_softmax(hard=True) or a straight-through "
            "estimator in place of indices; the log-probability of a sample for a policy gradient.",
        )
