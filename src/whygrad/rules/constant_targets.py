"""All targets of all batches are one number.

## What it means

A model that is always asked for the same answer learns to give it whatever comes in. The loss falls to nothing, and the
model is useless. The usual reason is a conversion that takes away what told the targets apart: `.long()` on numbers between
0 and 1, a division of whole numbers, the wrong column.

## How to recognise it

The loss is near zero after a few steps. whygrad notes the range of the targets of every call, and conversions to whole
numbers that made one number of different ones. Without such a conversion it speaks only of class numbers for three or more
outputs, and of regression targets; at least 128 of them, in four or more calls, since the first batches may lack a rare
class. It is a sign only, and is held back where something else was found.

## Example

```python
labels = torch.tensor(scores).long()               # scores from 0 to 1: all labels are 0
```

## Use instead

```python
labels = (torch.tensor(scores) > 0.5).long()
```

## Not this rule

Targets that are made constant (`torch.zeros`, `torch.full`: the halves of a GAN, a residual that is to vanish, the first
of several candidates), one layer trained towards different constants at several places, yes-or-no labels of a rare kind.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.long.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind import behind
from whygrad.graph.targets import CLASSES, head, made, places, sites

SYMPTOM = True

_ENOUGH = 128  #: targets, without a conversion that explains them
_CALLS = 4
_REGRESSIONS = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def check(graph: Graph) -> Iterator[Finding]:
    """Losses of one layer whose targets are one number throughout."""
    heads: dict[int, list[t.TargetLook]] = {}
    for looks in places(graph):
        for look in looks:
            heads.setdefault(head(graph, look), []).append(look)
    flattened = graph.trace.learning.targets.flattened
    for weight, looks in heads.items():
        last = looks[-1]
        several = len({(look.low, look.high) for look in looks}) > 1 or last.low != last.high
        if weight not in graph.updates.holders or several or len(looks) < _CALLS:
            continue
        if last.count < 2 or not last.counted or _on_purpose(graph, last):
            continue
        if not flattened and not (_told(graph, last) and sum(look.count for look in looks) >= _ENOUGH):
            continue
        casts = [s for stack in flattened for s in graph.sites(stack, "made one number", 0)]
        yield Finding(
            rule="constant-targets",
            severity="warning",
            title=f"all {sum(look.count for look in looks)} targets of `{last.name}` in {len(looks)} calls are {last.low:g}"
            + (
                ", after a conversion to whole numbers that made one number of different ones"
                if casts
                else ""
            ),
            parameters=graph.names(behind(graph, last.op)),
            link=10,
            causes=distinct([*casts, *made(graph, last, "targets"), *sites(graph, last, "loss")])[:3],
            evidence={"target": last.low, "targets": sum(look.count for look in looks), "calls": len(looks)},
            fix="Look at the targets where they are read and converted.",
        )


def _on_purpose(graph: Graph, look: t.TargetLook) -> bool:
    origin = graph.trace.values[look.target].origin
    return bool(origin & (t.CONSTANT | t.ZEROS)) and not origin & (t.DATA | t.RANDOM)


def _told(graph: Graph, look: t.TargetLook) -> bool:
    """Whether a rare class can't be the reason."""
    if look.name in _REGRESSIONS:
        return look.low not in (0, 1)
    shape = graph.trace.values[graph.trace.ops[look.op].ins[0]].shape
    return look.name in CLASSES and len(shape) > 1 and shape[1] > 2
