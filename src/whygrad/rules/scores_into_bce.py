"""`binary_cross_entropy` is given scores instead of probabilities.

## What it means

`binary_cross_entropy` takes probabilities between 0 and 1. On the CPU it raises for anything else ("all elements of
input should be between 0 and 1"), on a GPU the kernel aborts. Clamping the scores into the range silences that, but
clamped scores get no gradient: a sample that is clearly wrong is not learned from.

## How to recognise it

Either that message, or a share of the outputs at exactly 0 and 1 that grows, with losses near 100 where they are wrong
(torch holds the logarithm at -100).

## Example

```python
scores = nn.Linear(20, 1)(x)
loss = F.binary_cross_entropy(scores.clamp(0, 1), y)
```

## Use instead

```python
scores = nn.Linear(20, 1)(x)
loss = F.binary_cross_entropy_with_logits(scores, y)
```

## Not this rule

A sigmoid that is clamped to 1e-7 … 1 - 1e-7 afterwards, and probabilities from a softmax.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.BCELoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.losing import blamed, places, reached
from whygrad.graph.sources import made_and_called, name_of, source

_CLAMPS = ("clamp", "clip", "hardtanh", "clamp_min", "clamp_max", "relu6")
_HELD = 0.1  #: share of outputs that sit at exactly 0 or 1; sigmoids that were measured in training had none
_FIX = "Use binary_cross_entropy_with_logits on the scores (or a sigmoid before binary_cross_entropy)."

EXPLAINS = ("shape-mismatch", "first-nonfinite", "nonfinite-gradient")


def check(graph: Graph) -> Iterator[Finding]:
    """The exception, or scores that were squeezed into 0..1 by force."""
    yield from _raised(graph)
    for place in places(graph, "binary_cross_entropy"):
        look = place.looks[0]
        found = source(graph, look.scores, stop=_CLAMPS)
        name = name_of(graph, found.op)
        if name not in _CLAMPS or _probable(graph, found.op):
            continue
        held = max(one.edge for one in place.looks)
        if held < _HELD:
            continue
        yield Finding(
            rule="scores-into-bce",
            severity="error",
            title=f"binary_cross_entropy is given scores that {name} forces into 0..1: {held:.0%} of them sit at exactly 0 "
            "or 1 and get no gradient",
            parameters=graph.names(reached(graph, look.op)),
            link=10,
            causes=blamed(graph, found.op, place, "squeezed"),
            evidence={"at_the_ends": held, "loss": look.result},
            fix=_FIX,
        )


def _probable(graph: Graph, op: int) -> bool:
    """Whether what was clamped is a probability anyway."""
    inner = source(graph, graph.trace.ops[op].ins[0])
    return name_of(graph, inner.op) in ("sigmoid", "softmax", "hardsigmoid", "exp", "expit", "special_expit")


def _raised(graph: Graph) -> Iterator[Finding]:
    error = graph.trace.raised
    text = "all elements of input should be between 0 and 1"
    if error is None or text not in error.message:
        return
    given = next((g for g in error.tensors if g.requires_grad or g.name == "input"), None)
    found = source(graph, given.value) if given is not None and given.value >= 0 else None
    op = found.op if found is not None else -1
    calls = graph.sites(error.stack, "loss", 0)
    span = (
        f" ({given.low:.3g} to {given.high:.3g})"
        if given and given.low is not None and given.high is not None
        else ""
    )
    name = name_of(graph, op)
    places_of: list[Site] = [*calls, *made_and_called(graph, op, "scores")[-1:]]
    yield Finding(
        rule="scores-into-bce",
        severity="error",
        title=f"binary_cross_entropy was given {f'the result of {name}' if name else 'numbers'}{span}: it takes "
        "probabilities between 0 and 1",
        parameters=graph.names(reached(graph, op)) if op >= 0 else (),
        link=10,
        causes=distinct(places_of),
        fix=_FIX,
    )
