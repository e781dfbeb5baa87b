"""The loss is NaN or infinite, and one operation of the forward pass was the first to make it so.

## What it means

One NaN or infinite number is enough: backward hands it to every weight, and the next step writes it there. From then
on everything is NaN, so the place must be found in the first pass in which the loss was not finite. whygrad looks at
the values of that pass before its backward, and names the first operation whose operands were finite and whose result
was not, with the range of the operand; or the data that came in so.

## How to recognise it

The printed loss is `nan` or `inf`. Usual places: `log` of 0, division by 0, the root of a negative number, `exp` of a
large one, the mean of nothing, weights that have grown since the learning rate is too high.

## Example

```python
p = torch.sigmoid(model(x))
loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
```

## Use instead

```python
loss = F.binary_cross_entropy_with_logits(model(x), y)
```

Elsewhere: a small epsilon under `log`, `sqrt` and division, or `torch.clamp` before it.

## Not this rule

A loss that is not finite in a single batch and leaves the weights alone is a warning at most. Where the loss is finite
and only the gradient is not, `nonfinite-gradient` speaks.

## References

- https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
- https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.finite import First, first_nonfinite, spoilt_by
from whygrad.graph.masks import divided_by_nothing
from whygrad.graph.scales import harmed
from whygrad.graph.targets import ignored_throughout

_HUGE = 1e12  #: no operand is this large in a training that goes well


def check(graph: Graph) -> Iterator[Finding]:
    """The operation, or the data, that the first non-finite number came from."""
    found = first_nonfinite(graph)
    if found is None or divided_by_nothing(graph) is not None or ignored_throughout(graph):
        return  # there is none, or it is told as a mean over nothing: an empty mask, ignored targets
    lost = spoilt_by(graph, found)
    places: list[Site] = [s for op in found.ops for s in graph.op_sites(op, "first not finite")]
    for vid in found.sources[:3]:
        places += _source(graph, vid)
    if _grown(found):
        held = {o for i in lost for o, _ in graph.updates.holders.get(i, ())}
        optimizers = [
            s for o in sorted(held) for s in graph.sites(graph.trace.optimizers[o].created, "optimizer", 0)
        ]
        places = [*optimizers, *places]  # its steps have made the numbers grow
    loss = graph.trace.backwards[found.backward].loss
    yield Finding(
        rule="first-nonfinite",
        # where the inputs are far too large, another rule tells why the numbers have grown
        severity="error" if lost and not (_grown(found) and harmed(graph)) else "note",
        title=_title(graph, found, loss),
        parameters=graph.names(lost),
        link=6 if lost else 0,
        causes=distinct(places),
        path=graph.path(lost[0], found.ops[0], found.backward) if lost and found.ops else (),
        evidence={
            "loss": str(loss),
            "backward_pass": found.backward + 1,
            **{f"operand_{n}": _range(o) for n, o in enumerate(found.given[:3], 1)},
        },
        fix=_fix(found),
    )


def _grown(found: First) -> bool:
    """Whether the operands had grown beyond all bounds before: the training has diverged."""
    return not found.sources and any(max(abs(o.low), abs(o.high)) > _HUGE for o in found.given)


def _fix(found: First) -> str:
    if found.sources:
        return "Look at how these numbers are read or made: drop or replace what is missing."
    if _grown(found):
        return "The numbers have grown from step to step: lower the learning rate, clip the gradients, or scale the inputs."
    return (
        "Keep the operand away from where the function is not finite: add a small epsilon, clamp it first, or use "
        "the function that does both steps at once (log_softmax, ..._with_logits, logsumexp)."
    )


def _source(graph: Graph, vid: int) -> list[Site]:
    value = graph.trace.values[vid]
    if value.param >= 0:
        own = graph.trace.params[value.param]
        stacks = [own.written, own.created]
    else:
        stacks = [*value.imports[:2], value.created]
    found = [s for stack in stacks if stack >= 0 for s in graph.sites(stack, "not finite", 1)]
    used = [s for op in graph.flow.consumers.get(vid, [])[:1] for s in graph.op_sites(op, "taken up", 0)]
    return [*found, *used]


def _title(graph: Graph, found: First, loss: float | None) -> str:
    when = f"the loss was {loss} at backward pass {found.backward + 1}"
    if found.sources:
        value = graph.trace.values[found.sources[0]]
        what = graph.trace.params[value.param].fqn if value.param >= 0 else "the data"
        return f"{when}: {what} held NaN or infinite numbers before anything was computed"
    names = list(dict.fromkeys(f"`{graph.label(op)}`" for op in found.ops))
    given = f", given numbers from {_range(found.given[0])}" if found.given else ""
    return f"{when}: {' or '.join(names)} was the first to make it so{given}"


def _range(operand: t.Operand) -> str:
    return f"{operand.low:.3g} to {operand.high:.3g}"
