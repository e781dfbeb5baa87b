"""torch.autograd.grad was asked for the gradient of a tensor that the outputs do not depend on.

## What it means

`torch.autograd.grad(outputs, inputs)` raises "appears to not have been used in the graph" if one of the inputs has no
part in the outputs: another tensor of the same content was given to the model, or the path between them is cut.

## How to recognise it

whygrad tells the two apart: either the tensor reaches the outputs by value, and the operation where autograd lets go
of it is shown, or nothing that was made of it is part of the outputs.

## Example

```python
mixed = (0.5 * real + 0.5 * fake).requires_grad_()
scores = critic(real)                      # mixed is not used
slope, = torch.autograd.grad(scores.sum(), mixed)
```

## Use instead

```python
mixed = (0.5 * real + 0.5 * fake).requires_grad_()
scores = critic(mixed)
slope, = torch.autograd.grad(scores.sum(), mixed)
```

## Not this rule

Where the dependence is optional, `allow_unused=True` gives `None` for it instead of the error.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import made, raised

_MESSAGES = ("appears to not have been used in the graph", "differentiated Tensors does not require grad")


def check(graph: Graph) -> Iterator[Finding]:
    """The cut between an input and the outputs, or the call that asked for what was not used."""
    error = raised(graph, *_MESSAGES)
    if error is None:
        return
    outputs = [g.value for g in error.tensors if g.name == "outputs"]
    inputs = [g for g in error.tensors if g.name == "inputs"]
    history = graph.flow.upstream(outputs)
    cuts = {g.value: _cuts(graph, g, outputs, history) for g in inputs}
    lost = [g for g in inputs if cuts[g.value] is not None]
    ops = sorted({op for g in lost for op in cuts[g.value] or ()})
    asked = graph.sites(error.stack, "gradient asked for", 2)
    places: list[Site] = [s for op in ops for s in graph.op_sites(op, "cut")] + list(asked)
    places += [s for v in outputs[:1] for s in graph.sites(made(graph, v), "outputs", 0)]
    places += [s for g in lost[:1] for s in graph.sites(g.created, "made here", 0)]
    yield Finding(
        rule="unused-differentiated-tensor",
        severity="error",
        title="the gradient of a tensor was asked for that the outputs do not depend on"
        + (f": {graph.label(ops[0])} cuts it off" if ops else ""),
        causes=distinct(places),
        evidence={"shape": list(lost[0].shape)} if lost else {},
        fix="Keep the tensor itself on the way to the outputs, without this operation."
        if ops
        else "Compute the outputs from this very tensor; what was made of the same numbers elsewhere does not count.",
    )


def _cuts(graph: Graph, given: t.Given, outputs: list[int], history: set[int]) -> list[int] | None:
    """Operations where autograd lets go of an input on its way to the outputs; none if it has no way there at all;
    None if it does reach them."""
    own = graph.flow.values_of.get(given.param, [given.value]) if given.param >= 0 else [given.value]
    live, ends = graph.flow.live_from([v for v in own if v in history], history)
    return None if live & set(outputs) else ends
