"""The gradient is exactly zero, at an operation that no other rule explains.

## What it means

In every pass a gradient other than zero arrived at the operation named here, and it handed on exact zeros. The
parameters before it do not train, whatever the optimizer does (weight decay and momentum may still move them).

## How to recognise it

`parameter.grad` is a tensor of zeros, not `None`.

## Example

```python
value = critic(state)
loss = F.mse_loss(value, value.detach())          # compared with itself: the difference is 0
```

## Use instead

```python
value = critic(state)
loss = F.mse_loss(value, returns)
```

## Not this rule

Zeros that follow from the structure: the last bias of a Wasserstein critic, the bias in front of a BatchNorm, a weight
applied to an initial state of zeros, an expert that got no token.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html
- https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, Loss, distinct, vanished


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters with a zero gradient in every pass, with the operation where it was last non-zero."""
    for group in vanished(graph, "other"):
        losses = [one for one in group.losses if one.op >= 0]
        weights = [i for i in group.params if len(graph.trace.params[i].shape) > 1]
        yield Finding(
            rule="zero-gradient",
            severity="warning"
            if weights and losses and not _fed_zeros(graph, group.params, losses)
            else "note",
            title=f"{graph.count(group.params)} get a gradient of exactly zero in every pass",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct([s for one in losses for s in graph.op_sites(one.op, "zeroed")]),
            path=graph.path(group.params[0], losses[0].op) if losses else (),
            evidence={"grad_norm": 0.0},
            fix="The gradient was non-zero after this operation and zero before it: look at what it selects.",
        )


def _fed_zeros(graph: Graph, params: list[int], losses: list[Loss]) -> bool:
    """Whether these are weights of layers whose other parameters train: the input of such a weight is zero (an initial
    state, a feature that does not occur), which is no fault of the gradient."""
    own = set(params)
    for loss in losses:
        operands = {graph.trace.values[v].param for v in graph.trace.ops[loss.op].ins} - {-1}
        if not operands & own or not any(graph.broken[i] is None for i in operands - own):
            return False
    return True
