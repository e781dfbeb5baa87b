"""The dimension that a loss takes for the classes is not the one that the layer wrote its classes to.

## What it means

`cross_entropy` and `nll_loss` look for the classes in dimension 1. A linear layer writes its outputs to the last one, a
convolution to dimension 1. `view` and `reshape` only cut the numbers anew, in the order in which they lie: bringing
[batch, time, classes] to [batch, classes, time], or [batch, classes, height, width] to [-1, classes], by `view` makes
"samples" out of numbers that belong to different ones.

## How to recognise it

No error, since the number of elements fits. The loss falls a little, to that of the classes' frequencies, and stays.

## Example

```python
scores = conv(images)                                            # [batch, classes, height, width]
loss = F.cross_entropy(scores.view(-1, classes), masks.view(-1))
```

## Use instead

```python
scores = conv(images)
loss = F.cross_entropy(scores, masks)                            # or scores.permute(0, 2, 3, 1).reshape(-1, classes)
```

## Not this rule

A reshape that keeps the classes together ([batch, time, classes] to [-1, classes]), one that splits the outputs of a
layer into several groups, and classes that are made of several dimensions (a move on a board).

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.axes import class_axis
from whygrad.graph.losing import classes, places, reached
from whygrad.graph.sources import name_of

#: Numbers regrouped across positions also make a score depend on the position it is to predict.
EXPLAINS = ("view-instead-of-transpose", "samples-mixed", "future-leak")


def check(graph: Graph) -> Iterator[Finding]:
    """Classes that a reshape has mixed with other dimensions, or that were left where they were."""
    for place in places(graph, "cross_entropy", "nll_loss"):
        look = place.looks[0]
        shape = graph.trace.values[look.scores].shape
        axis = class_axis(graph, look.scores)
        expected = 1 if len(shape) > 1 else 0
        if look.spread or axis is None or axis.at == expected or axis.size != classes(graph, look):
            continue
        layer = graph.trace.values[graph.trace.ops[axis.maker].outs[0]].shape
        role = "mixed" if axis.mixer >= 0 else "not moved"
        places_of = graph.op_sites(axis.mixer if axis.mixer >= 0 else axis.maker, role, 0)
        loss = graph.sites(place.stack, "loss", 0)
        how = (
            f"{graph.label(axis.mixer)} cuts them up"
            if axis.mixer >= 0
            else f"they still lie in dimension {axis.at}"
        )
        yield Finding(
            rule="class-dimension",
            severity="error" if axis.mixer >= 0 else "warning",
            title=f"{place.name} takes dimension {expected} of {list(shape)} for the {axis.size} classes that "
            f"{name_of(graph, axis.maker)} wrote to {list(layer)}, but {how}",
            parameters=graph.names(reached(graph, look.op)),
            link=10,
            causes=distinct([*places_of, *loss] if axis.mixer >= 0 else [*loss, *places_of]),
            evidence={"layer": list(layer), "given": list(shape), "classes": axis.size, "loss": look.result},
            fix="Move the classes with permute or transpose (and flatten afterwards), never with view or reshape.",
        )
