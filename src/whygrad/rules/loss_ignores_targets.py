"""The loss compares the output with itself.

## What it means

The second argument of the loss is the output again, or was made from this very output (its `argmax`, its sign, a copy).
Such a loss is 0 from the start, or it only makes the model surer of whatever it says. The targets never come in.

## How to recognise it

The loss is exactly 0 (or falls to 0 at once), while the accuracy stays that of guessing.

## Example

```python
output = model(x)
loss = F.mse_loss(output, output.detach())
loss = F.cross_entropy(output, output.argmax(dim=1))
```

## Use instead

```python
output = model(x)
loss = F.cross_entropy(output, y)
```

## Not this rule

An autoencoder, whose target is its input; distillation, BYOL and target networks, whose target is another model's output;
pseudo-labels beside a loss on true labels, or for a model that was trained before.

## References

- https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.losing import blamed_loss, places, reached
from whygrad.graph.sources import name_of

_COPIES = {
    "detach", "data", "clone", "contiguous", "view", "reshape", "flatten", "squeeze", "unsqueeze", "to", "float", "double",
    "half", "bfloat16", "type_as", "view_as", "reshape_as", "cpu", "cuda", "dropout",
}  # fmt: skip
_CHOICES = {
    "argmax", "max", "topk", "round", "gt", "ge", "lt", "le", "sign", "bool", "long", "int", "one_hot", "softmax",
    "sigmoid", "log_softmax", "sort", "type", "eq",
}  # fmt: skip
_LOSSES = (
    "cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
    "smooth_l1_loss", "huber_loss", "kl_div",
)  # fmt: skip

EXPLAINS = ("zero-gradient",)


def check(graph: Graph) -> Iterator[Finding]:
    """Losses whose target is a copy of their scores, or a choice made by them alone."""
    every = list(places(graph, *_LOSSES))
    for place in every:
        how = {_comes_from(graph, look) for look in place.looks}
        if len(how) > 1 or how & {""}:
            continue
        kind = how.pop()
        look = place.looks[0]
        if kind == "choice" and (len(every) > 1 or _other_terms(graph, look) or _pretrained(graph, look)):
            continue
        what = "the output itself" if kind == "copy" else "what was chosen by the output itself"
        yield Finding(
            rule="loss-ignores-targets",
            severity="error" if kind == "copy" else "warning",
            title=f"the target of {place.name} is {what} (loss {look.result:.3g}): no target from the data comes in",
            parameters=graph.names(reached(graph, look.op)),
            link=10,
            causes=blamed_loss(graph, place, graph.trace.values[look.target].op, "target"),
            evidence={"losses": [one.result for one in place.looks]},
            fix="Give the loss the targets of the batch as its second argument.",
        )


def _comes_from(graph: Graph, look: t.LossLook) -> str:
    """``copy``, ``choice``, or empty: how the target follows from the scores alone."""
    if look.target < 0 or (graph.trace.values[look.target].requires_grad and look.target != look.scores):
        return ""
    behind = _behind(graph, look.scores)
    value, kind = look.target, "copy"
    for _ in range(20):
        if value in behind:
            return kind
        own = graph.trace.values[value]
        ins = graph.trace.ops[own.op].ins if own.op >= 0 and own.param < 0 else ()
        name = name_of(graph, own.op)
        if len(ins) != 1 or name not in _COPIES | _CHOICES:
            return ""
        kind = "choice" if name in _CHOICES else kind
        value = ins[0]
    return ""


def _behind(graph: Graph, value: int) -> set[int]:
    """A value and what it is an arrangement (or a softmax) of."""
    found = {value}
    for _ in range(20):
        own = graph.trace.values[value]
        ins = graph.trace.ops[own.op].ins if own.op >= 0 and own.param < 0 else ()
        if len(ins) != 1 or name_of(graph, own.op) not in _COPIES | {"softmax", "log_softmax", "sigmoid"}:
            break
        value = ins[0]
        found.add(value)
    return found


def _other_terms(graph: Graph, look: t.LossLook) -> bool:
    """Whether the loss that was differentiated has other parts that need a gradient."""
    outs = set(graph.trace.ops[look.op].outs)
    for backward, history in zip(graph.trace.backwards, graph.flow.loss_histories, strict=True):
        if outs & history:
            below = graph.flow.upstream(outs)
            rest = {v for v in history - below if graph.trace.values[v].requires_grad}
            makers = {graph.trace.values[v].op for v in rest}
            given = {v for op in makers if op >= 0 for v in graph.trace.ops[op].ins} - rest - outs
            return backward.raised != "" or any(graph.trace.values[v].requires_grad for v in given)
    return False


def _pretrained(graph: Graph, look: t.LossLook) -> bool:
    """Whether weights were loaded: such a model may well adapt to its own predictions."""
    return any(graph.trace.params[p].origin & t.LOADED for p in reached(graph, look.op))
