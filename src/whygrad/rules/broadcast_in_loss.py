"""A loss compares every sample with every other, since an axis of size 1 was broadcast.

## What it means

`[N, 1]` and `[N]` do not fit, and torch does not say so: it lays the one out as a column and the other as a row, and the
result is `[N, N]`. Its mean runs over all pairs of samples. A regression then learns the mean of all targets, a policy
gradient multiplies every action by every advantage (which leaves next to nothing, as advantages are centred), and the
loss still falls to a plausible number.

## How to recognise it

The predictions become one constant. For `mse_loss` and its kin torch warns once ("Using a target size that is different
to the input size"); for arithmetic written by hand it does not. whygrad names the operation whose result has the shape of
neither operand, and where the operand with the odd axis got its shape. It speaks only where nothing between this
operation and the loss makes use of which pair is which: all of it works element by element, or sums up.

## Example

```python
value = critic(obs)                                # [64, 1]
loss = ((value - returns) ** 2).mean()             # returns: [64]
```

## Use instead

```python
value = critic(obs).squeeze(1)                     # [64]
loss = ((value - returns) ** 2).mean()
```

## Not this rule

Pairs that are asked for: `x[:, None] - x[None, :]`, an axis made in the same statement, masks and matrices of labels over
the pairs, softmax or a maximum over them. `[N, K]` with `[N, 1]`: an ensemble, quantiles. Maps and tables of parameters.
A sum of terms `[N, 1]` and `[N]` of which only the mean is taken: it is the sum of their means.

## References

- https://docs.pytorch.org/docs/stable/notes/broadcasting.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.MSELoss.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind import behind
from whygrad.graph.broadcasting import by_place, outers
from whygrad.graph.pairs_meant import shape_made

EXPLAINS = ("cannot-overfit",)


def check(graph: Graph) -> Iterator[Finding]:
    """The operation, and where the operand with the axis of size 1 got its shape."""
    for own in by_place(graph, outers(graph)):
        one = own[-1]
        values = graph.trace.values
        high, low = values[one.high].shape, values[one.low].shape
        name = graph.label(one.op)
        yield Finding(
            rule="broadcast-in-loss",
            severity="error",
            title=f"`{name}` of {list(high)} and {list(low)} gives {list(one.shape)}: each of {one.n} samples is paired with "
            "every other one, and the loss takes all pairs together",
            parameters=graph.names(behind(graph, one.op)),
            link=10,
            causes=distinct(
                [
                    *graph.op_sites(one.op, "broadcast", 1),
                    *graph.sites(shape_made(graph, one.high), "axis of size 1", 0),
                    *graph.sites(shape_made(graph, one.low), "no such axis", 0),
                ]
            )[:3],
            evidence={"shapes": [list(high), list(low)], "result": list(one.shape), "passes": len(own)},
            fix="Give both operands one shape before this line: squeeze the axis of size 1 of the one, or unsqueeze the "
            "other. Where pairs are meant, say so with `[:, None]` in the expression itself.",
        )
