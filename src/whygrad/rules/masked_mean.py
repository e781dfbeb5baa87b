"""A mean over the elements that a mask selects is divided by the wrong number: by 0, or by the number of all elements.

## What it means

`(loss * mask).sum() / mask.sum()` is 0/0 for a batch in which the mask selects nothing. The loss is NaN then, and backward
multiplies 1/0 by the zeros of the mask, which is NaN for every weight: one step destroys the model. (A batch in which
`ignore_index` drops every target gives NaN as a loss too, but gradients of zero, and does no harm.)

`(loss * mask).mean()` divides by the number of all elements, not of those that count: where few do, the loss and its
gradient are small, and they rise and fall with the share of the mask. That is told as a note only, since every element
that counts still has the same weight, and an optimizer such as Adam makes up for a constant factor.

## How to recognise it

The loss is a sensible number for a while, then `nan` for ever, at a batch that is rare. whygrad notes what each sum is
divided by, and names the pass in which that was 0.

## Example

```python
loss = (each * labelled).sum() / labelled.sum()
```

## Use instead

```python
loss = (each * labelled).sum() / labelled.sum().clamp(min=1)
```

## Not this rule

Another division, logarithm or root that made the loss not finite: that is `first-nonfinite`. Means whose mask is never empty.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
- https://github.com/pytorch/pytorch/issues/70348
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind import behind
from whygrad.graph.masks import divided_by_nothing
from whygrad.graph.plain import plain_name

_FEW = 0.1  #: share of elements that count, below which a mean over all is told of


def check(graph: Graph) -> Iterator[Finding]:
    """The division by an empty mask; and means over all elements where few count."""
    empty = divided_by_nothing(graph)
    if empty is not None:
        mask = graph.sites(graph.trace.values[empty.mask].created, "mask", 0) if empty.mask >= 0 else ()
        usual = (
            f"; it was {min(empty.others):g} to {max(empty.others):g} in other passes" if empty.others else ""
        )
        yield Finding(
            rule="masked-mean",
            severity="error" if empty.lost else "note",
            title=f"a sum is divided by 0 at backward pass {empty.backward + 1}, as the mask selects nothing there{usual}: "
            "the loss is NaN" + (", and so is every weight from the next step on" if empty.lost else ""),
            parameters=graph.names(empty.lost),
            link=6 if empty.lost else 10,
            causes=distinct([*graph.op_sites(empty.op, "divided by 0", 1), *mask])[:3],
            evidence={
                "backward_pass": empty.backward + 1,
                "divisor": 0,
                "divisors_elsewhere": empty.others[:10],
            },
            fix="Divide by the number of selected elements, but at least by 1 (`mask.sum().clamp(min=1)`), or leave out "
            "such a batch.",
        )
    yield from _wrong_count(graph)


def _wrong_count(graph: Graph) -> Iterator[Finding]:
    places: dict[int, list[float]] = {}
    last: dict[int, int] = {}
    for look in graph.trace.learning.targets.masks:
        outs = graph.trace.ops[look.op].outs
        users = [op for v in outs for op in graph.flow.consumers.get(v, ())]
        means = [op for op in users if plain_name(graph.flow.kind(op).name) == "mean"]
        if not look.one_hot and any(
            graph.trace.values[v].shape == () for op in means for v in graph.trace.ops[op].outs
        ):
            places.setdefault(graph.flow.kind(look.op).stack, []).append(look.share)
            last[graph.flow.kind(look.op).stack] = look.op
    for stack, shares in places.items():
        if sum(shares) < _FEW * len(shares):
            yield Finding(
                rule="masked-mean",
                severity="note",
                title=f"the mean runs over all elements, of which the mask leaves {sum(shares) / len(shares):.1%}",
                parameters=graph.names(behind(graph, last[stack])),
                link=10,
                causes=graph.sites(stack, "mean over all", 1),
                evidence={"shares": shares},
                fix="Divide the sum by the number of selected elements.",
            )
