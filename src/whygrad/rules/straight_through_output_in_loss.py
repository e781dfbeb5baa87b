"""A loss term was given the straight-through output where it needed the differentiable value.

## What it means

`z_q = z + (codes - z).detach()` has the value of `codes` and the gradient of `z`. The codes are in it only behind
`detach()`, so a loss on `z_q` trains the encoder and never the codebook.

## How to recognise it

The codebook's `.grad` stays `None`; encoder and decoder train, and the reconstruction improves, with codes that stay
where they were initialised.

## Example

```python
codes = codebook(indices)
z_q = z + (codes - z).detach()
codebook_loss = F.mse_loss(z_q, z.detach())
```

## Use instead

```python
codes = codebook(indices)
codebook_loss = F.mse_loss(codes, z.detach())
z_q = z + (codes - z).detach()
```

## Not this rule

The decoder gets the straight-through output. A codebook that is updated by moving averages needs no gradient.

## References

- https://arxiv.org/abs/1711.00937 (neural discrete representation learning)
- https://arxiv.org/abs/1308.3432 (the straight-through estimator)
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, blamed, distinct, straight_through

_COPIES = {"detach", "data"}


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters that reach the loss only inside the detached part of ``z + (c - z).detach()``."""
    for indices, which, ops in blamed(graph, "straight-through"):
        estimators = [(op, out) for op in ops if (out := straight_through(graph, op)) is not None]
        if not estimators:
            continue
        terms = [s for op, out in estimators for s in _terms(graph, op, out)]
        yield Finding(
            rule="straight-through-output-in-loss",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: every loss term sees them only through a straight-through output",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([*terms, *(s for op, _ in estimators for s in graph.op_sites(op, "cut", 0))]),
            path=graph.path(indices[0], estimators[0][0], which),
            evidence={"grad_norm": None},
            fix="Compute this loss term on the value itself (the looked-up codes), not on z + (codes - z).detach(), "
            "which carries the gradient of z alone.",
        )


def _terms(graph: Graph, cut: int, out: int) -> list[Site]:
    """Operations that compare the estimator's result with a detached copy of the value it lets through."""
    trace, flow = graph.trace, graph.flow
    add = trace.values[out].op
    through = {v for v in trace.ops[add].ins if trace.values[v].requires_grad}
    copies = {
        o
        for vid in through
        for op in flow.consumers.get(vid, ())
        if flow.kind(op).name in _COPIES
        for o in trace.ops[op].outs
    }
    users = [op for op in flow.consumers.get(out, ()) if copies & set(trace.ops[op].ins)]
    return [s for op in users for s in graph.op_sites(op, "uses the output", 1)]
