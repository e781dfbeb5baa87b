"""Attention runs across the samples of the batch instead of along the positions of each.

## What it means

`nn.MultiheadAttention`, `nn.TransformerEncoderLayer` and `nn.Transformer` take `[positions, batch, features]` unless
they are built with `batch_first=True`. A batch-first tensor raises nothing: the samples of the mini-batch attend to
each other, and the positions of one sample never meet. What the model says of a sample depends on the others in its
batch, and nothing that needs two positions can be learned.

## How to recognise it

whygrad follows both axes from the attention's output to the loss. If one position of its batch axis is chosen
(`out[:, 0]`), or its mean is taken, while the axis along which it attended arrives at the loss beside the targets,
these axes were mixed up. The same if a table of positions is added along the axis that the attention takes for the
batch, or if it attends along the axis along which a shuffling DataLoader stacks samples or along which rows were drawn
at random. `scaled_dot_product_attention` is reported if it attends over the heads that a linear layer's output was
split into, while the positions are taken for a batch.

## Example

```python
self.attention = nn.MultiheadAttention(32, 4)     # takes [positions, batch, features]
a, _ = self.attention(x, x, x)                    # x is [batch, positions, features]
return self.head(a[:, 0])
```

## Use instead

```python
self.attention = nn.MultiheadAttention(32, 4, batch_first=True)
a, _ = self.attention(x, x, x)
return self.head(a[:, 0])
```

## Not this rule

Position-major code throughout, batches of one sample, and attention between samples on purpose: where the code itself
turns the axes before the attention and back after it.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
- https://github.com/IBM/TabFormer/pull/14
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.axis_rules import ATTENTION, DOT_ATTENTION
from whygrad.graph.layouts import Mixup, mixups, places, shown, why

EXPLAINS = ("samples-mixed",)


def check(graph: Graph) -> Iterator[Finding]:
    """Attention over the axis of the samples, or over the heads."""
    found: dict[str, list[Mixup]] = {}
    for mixup in mixups(graph, {ATTENTION, DOT_ATTENTION}):
        found.setdefault(str(places(graph, mixup)[:1]), []).append(mixup)
    for group in found.values():
        first, heads = group[0], group[0].how == "heads"
        ins = [v for one in group for v in graph.trace.ops[one.op].ins]
        what = f"{first.steps} heads of each position" if heads else f"{first.steps} samples of the batch"
        yield Finding(
            rule="attention-batch-first",
            severity="error",
            title=f"{shown(graph, first)} lets the {what} attend to each other instead of the {first.batch} positions: "
            f"it takes {_layout(first)}, and gets {list(first.shape)}",
            parameters=graph.names(v.param for v in map(graph.trace.values.__getitem__, ins) if v.param >= 0),
            link=10,
            causes=places(graph, first),
            evidence={"input": str(list(first.shape)), "batch_first": first.first, "why": why(first)},
            fix=_fix(first),
        )


def _layout(mixup: Mixup) -> str:
    if mixup.how == "heads":
        return "[batch, heads, positions, features]"
    return (
        "[batch, positions, features]" if mixup.first else "[positions, batch, features] (batch_first=False)"
    )


def _fix(mixup: Mixup) -> str:
    if mixup.how == "heads":
        return "Exchange heads and positions before it, .transpose(1, 2), and again after it."
    return f"Construct it with batch_first={not mixup.first}, or transpose the input (and the output back)."
