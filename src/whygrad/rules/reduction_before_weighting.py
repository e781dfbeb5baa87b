"""A loss is averaged to one number before it is weighted sample by sample.

## What it means

`F.cross_entropy(logits, target)` is already the mean over the batch. What comes after it sees one number, not one for each
sample. A focal loss on top of it, `(1 - exp(-ce)) ** gamma * ce`, makes no difference between easy and hard samples: it
only multiplies the ordinary gradient by one common factor, and that factor goes to 0 as soon as most samples are easy.
Weights of samples (or a mask) that are multiplied in afterwards come to nothing in the same way: the mean of a number times
a vector is that number times the mean of the vector, and every sample counts the same.

## How to recognise it

Rare classes are no better learned than with the plain loss; changing the weights changes nothing but the size of the loss.
whygrad follows the one number from the mean to the loss: it is multiplied by something made of its own exponential, or by
a tensor with one element for each sample that is then only summed up.

## Example

```python
ce = F.cross_entropy(logits, target)                 # one number
loss = ((1 - torch.exp(-ce)) ** 2 * ce).mean()
loss = (criterion(output, target) * weights).mean()  # the same, with weights of samples
```

## Use instead

```python
ce = F.cross_entropy(logits, target, reduction="none")
loss = ((1 - torch.exp(-ce)) ** 2 * ce).mean()
loss = (nn.MSELoss(reduction="none")(output, target) * weights).mean()
```

## Not this rule

Losses of several tasks weighed by learned uncertainties; the perplexity, printed; `loss / loss.detach()`; a batch of one.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
- https://arxiv.org/abs/1708.02002
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind import behind
from whygrad.graph.reductions import Early, early, made


def check(graph: Graph) -> Iterator[Finding]:
    """The reduction, the line where its module was made, and what came too late for it."""
    places: dict[tuple[int, int], list[Early]] = {}
    for one in early(graph):
        key = (graph.flow.kind(one.reduction).stack, graph.flow.kind(one.late).stack)
        places.setdefault(key, []).append(one)
    for own in places.values():
        one = own[-1]
        name, late = graph.label(one.reduction), graph.label(one.late)
        module = graph.sites(made(graph, one.reduction), "made", 0)
        weighted = graph.op_sites(one.late, "weighted", 0)
        reduced = graph.op_sites(one.reduction, "reduced", 0)
        yield Finding(
            rule="reduction-before-weighting",
            severity="warning",
            title=_title(graph, one, name, late),
            parameters=graph.names(behind(graph, one.reduction)),
            link=10,
            causes=distinct([*module, *reduced, *weighted]),
            evidence={"samples": one.n, "passes": len({e.backward for e in own})},
            fix='Ask for one loss a sample (reduction="none", or no mean() yet), weigh it, and take the mean last.',
        )


def _title(graph: Graph, one: Early, name: str, late: str) -> str:
    head = f"`{name}` has already made one number of {one.n} samples"
    if one.weights < 0:
        return f"{head}: the factor made of its exponential is the same for all of them"
    shape = list(graph.trace.values[one.weights].shape)
    return f"{head} when `{late}` weighs it with a tensor of shape {shape}: all samples count the same"
