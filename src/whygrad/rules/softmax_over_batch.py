"""A softmax over the samples of a batch instead of the classes.

## What it means

`softmax(x, dim=0)` of a [batch, classes] tensor makes the samples compete: the probabilities of one class sum to 1 over
the batch, those of one sample do not. What the model says of a sample depends on the others, and no batch can be right
throughout. Without `dim` torch takes dimension 0 for tensors with 1 or 3 dimensions, and warns.

## How to recognise it

The sums over the classes are not 1, those over the batch are; predictions change with the batch size, and the loss
stays near log(batch size) instead of log(classes).

## Example

```python
log_probabilities = F.log_softmax(model(x), dim=0)
loss = F.nll_loss(log_probabilities, y)
```

## Use instead

```python
log_probabilities = F.log_softmax(model(x), dim=1)
loss = F.nll_loss(log_probabilities, y)
```

## Not this rule

Contrastive losses, where the samples of the batch are the classes (a square of scores against `arange(batch)`);
attention, whose softmax is followed by a weighted sum over the same
dimension; clustering and assignment (Sinkhorn).

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSoftmax.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.axes import followed, softmax_dim
from whygrad.graph.losing import Place, places, reached
from whygrad.graph.picking import picks
from whygrad.graph.pooling import pooled_elsewhere
from whygrad.graph.sources import SOFTMAX, made_and_called, name_of, source

_OFF = 0.05  #: half precision leaves 0.02
_ELEMENTWISE = (
    "binary_cross_entropy",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "sub",
    "kl_div",
)

EXPLAINS = ("samples-mixed",)


def check(graph: Graph) -> Iterator[Finding]:
    """Where the sums over the classes are not 1, although a softmax made them."""
    seen: set[int] = set()
    seen_stacks: set[int] = set()
    measured = [(p, p.looks[0].scores) for p in places(graph, "nll_loss", *_ELEMENTWISE)]
    for place, value, stack in [
        *((p, v, p.stack) for p, v in measured),
        *((None, *pick) for pick in picks(graph)),
    ]:
        op = _softmax(graph, value)
        if op < 0 or op in seen or not _wrong(graph, place, value, op):
            continue
        seen.add(op)
        shape = graph.trace.values[graph.trace.ops[op].outs[0]].shape
        dim = softmax_dim(graph, op)
        yield Finding(
            rule="softmax-over-batch",
            severity="error",
            title=f"{graph.label(op)} of a tensor of shape {list(shape)} runs over dimension {dim}, not over the classes: "
            "the samples compete with each other",
            parameters=graph.names(reached(graph, op)),
            link=10,
            causes=distinct([*made_and_called(graph, op, "normalised"), *graph.sites(stack, "loss", 0)])[:3],
            evidence={
                "shape": list(shape),
                "dim": dim,
                "class_sums_off": place.looks[0].rows.off if place else None,
                "batch_sums_off": place.looks[0].across.off if place else None,
            },
            fix=f"Take it over the dimension of the classes (dim=-1 instead of dim={dim}).",
        )

    for op, end in pooled_elsewhere(graph):
        stack = graph.flow.kind(op).stack
        if op in seen or stack in seen_stacks:
            continue
        seen_stacks.add(stack)
        shape = graph.trace.values[graph.trace.ops[op].outs[0]].shape
        yield Finding(
            rule="softmax-over-batch",
            severity="error",
            title=f"{graph.label(op)} of a tensor of shape {list(shape)} runs over dimension 0, the {shape[0]} samples, and "
            f"{graph.label(end)} sums with these weights over another one: the samples compete with each other",
            parameters=graph.names(reached(graph, op)),
            link=10,
            causes=distinct([*made_and_called(graph, op, "normalised"), *graph.op_sites(end, "summed", 0)])[
                :3
            ],
            evidence={"shape": list(shape), "dim": 0},
            fix="Take it over the dimension that is summed over afterwards.",
        )


def _softmax(graph: Graph, value: int) -> int:
    """The softmax behind a value, through a logarithm and a division by its own sum; -1 if there is none."""
    for _ in range(4):
        op = source(graph, value).op
        name = name_of(graph, op)
        if name in SOFTMAX or name == "log_softmax":
            return op if len(graph.trace.values[graph.trace.ops[op].ins[0]].shape) > 1 else -1
        if name not in ("log", "div", "truediv"):
            return -1
        value = graph.trace.ops[op].ins[0]
    return -1


def _wrong(graph: Graph, place: Place | None, value: int, op: int) -> bool:
    shape = graph.trace.values[graph.trace.ops[op].outs[0]].shape
    if place is None or (shape[0] == shape[-1] and softmax_dim(graph, op) == 0):
        # picked by class number; a square is a contrastive loss
        return softmax_dim(graph, op) == 0 and shape[0] != shape[-1] and 1 not in shape
    if place.name == "nll_loss":
        if name_of(graph, source(graph, value).op) in SOFTMAX:
            return place.all(lambda one: one.across.off < _OFF < one.rows.off)
        if not place.all(lambda one: _OFF < one.rows.logs < math.inf):
            return False
        return place.all(lambda one: one.across.logs < _OFF) or _elsewhere(graph, value, op)
    goals = place.all(lambda one: one.goals.off < 0.01 and one.goals.high > 0)
    if name_of(graph, source(graph, value).op) in ("log", "log_softmax"):
        logs = place.all(lambda one: one.across.logs < _OFF < one.rows.logs < math.inf)
        return goals and logs and place.name == "kl_div"
    return goals and place.all(lambda one: one.across.off < _OFF < one.rows.off)


def _elsewhere(graph: Graph, value: int, op: int) -> bool:
    """Whether the dimension that a log-softmax ran over is not the one where the loss looks for the classes."""
    found = source(graph, value)
    shape, given = (graph.trace.values[v].shape for v in (graph.trace.ops[op].outs[0], value))
    dim = softmax_dim(graph, op)
    if found.op != op or dim < 0:
        return False
    end = followed(graph, shape, dim, list(found.chain[::-1]))
    expected = 1 if len(given) > 1 else 0
    return end is not None and end[0] != expected and (end[0] >= 0 or shape[dim] != given[expected])
