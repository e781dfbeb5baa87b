"""Weights of exactly zero hold each other's gradient at zero.

## What it means

In `W2 @ (W1 @ x)` the gradient of `W1` is a multiple of `W2`, and that of `W2` of `W1 @ x`. If both are zero, both
gradients are zero, and stay so. A single zero layer in front of a ReLU is stuck too, since the derivative of ReLU at 0
is 0 in PyTorch.

## How to recognise it

The weights are exactly zero after many steps, their gradient is a tensor of zeros, and the block adds nothing.

## Example

```python
nn.init.zeros_(adapter.down.weight)
nn.init.zeros_(adapter.up.weight)
```

## Use instead

```python
nn.init.zeros_(adapter.up.weight)      # one of them is enough for the block to start as the identity
```

## Not this rule

A single zero-initialised layer or scalar: LoRA's B, the last layer of a residual branch, a ReZero scalar, a zero
convolution, the zero weight of the last BatchNorm. It gets a gradient at once, and the layers before it from the
second step on.

## References

- https://docs.pytorch.org/docs/stable/nn.init.html
- https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions
- https://arxiv.org/abs/2106.09685 (LoRA: one matrix at random, the other at zero)
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, vanished, zero_parameters


def check(graph: Graph) -> Iterator[Finding]:
    """Two zero-initialised layers in a row, or one in front of a ReLU: the gradient can never leave zero."""
    for group in vanished(graph, "zero-weights"):
        zero = sorted({z for i in group.params for z in zero_parameters(graph, graph.lost(i))})
        places = [s for z in zero for s in graph.sites(_zeroed(graph.trace.params[z]), "set to zero", 1)]
        lost = [
            s
            for i in group.params
            for one in graph.lost(i)
            if one.op >= 0
            for s in graph.op_sites(one.op, "zeroed", 0)
        ]
        yield Finding(
            rule="zero-weights",
            severity="error",
            title=f"{graph.count(group.params)} get a gradient of exactly zero: {', '.join(graph.names(zero))} "
            f"{'is' if len(zero) == 1 else 'are'} all zero and can't leave it",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct([*places, *lost]),
            path=graph.path(group.params[0], group.losses[0].op) if group.losses[0].op >= 0 else (),
            evidence={"grad_norm": 0.0, "all_zero": len(zero)},
            fix="Zero-initialise one layer only, and none whose output goes through a ReLU: give the other one its "
            "default (or small random) initialisation.",
        )


def _zeroed(param: t.Param) -> int:
    """Where a parameter became zero: the last write to it before training, else where it was made."""
    return param.written if param.written >= 0 else param.created
