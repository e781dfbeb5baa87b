"""Backward was called on a value that no trainable parameter had a part in.

## What it means

`backward` raises "element 0 of tensors does not require grad and does not have a grad_fn" when autograd has recorded
nothing for the loss. If a parameter reaches the loss by value and is cut off on the way, the rule of that cut tells
it (`detached-path`, `no-grad-path`, ...). This rule speaks where nothing was cut, because nothing trainable was used:
every parameter is frozen, or the loss was computed from data alone.

## How to recognise it

`loss.requires_grad` is `False`, and `loss.grad_fn` is `None`.

## Example

```python
for p in model.parameters():
    p.requires_grad = False                      # the head is among them
optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
cross_entropy(model(x), y).backward()
```

## Use instead

```python
for p in model.backbone.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
cross_entropy(model(x), y).backward()
```

## Not this rule

A loss that sometimes has nothing to learn from is fine if backward is called only when `loss.requires_grad`.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import made, nearest, raised

_MESSAGES = (
    "does not require grad and does not have a grad_fn",
    "of the input tensors does not require grad",
)


def check(graph: Graph) -> Iterator[Finding]:
    """The loss of a failed backward that no cut explains."""
    error = raised(graph, *_MESSAGES)
    if error is None or not graph.trace.backwards or any(told for _, _, told in graph.cut) or _escapes(graph):
        return
    losses = graph.trace.backwards[-1].losses
    history = graph.flow.upstream(losses)
    used = sorted({graph.trace.values[v].param for v in history} - {-1})
    frozen = [
        i
        for i in used
        if graph.trace.params[i].role == "parameter" and not graph.trace.params[i].requires_grad
    ]
    loss = [s for v in losses[:1] for s in nearest(graph, made(graph, v), error.stack, "loss")]
    called = graph.sites(error.stack, "backward", 0)
    if frozen:
        yield _finding(graph, 2, frozen, [*_freezes(graph, frozen), *loss, *called])
    else:
        dropped = graph.sick(3, 4)
        yield _finding(graph, 4 if dropped else 0, dropped, [*loss, *called])


def _finding(graph: Graph, link: int, indices: list[int], places: list[Site]) -> Finding:
    frozen = link == 2
    return Finding(
        rule="backward-without-graph",
        severity="error",
        title=f"backward has nothing to go through: {graph.count(indices)} that the loss is computed from are frozen"
        if frozen
        else "backward has nothing to go through: no parameter that is to be trained has a part in this loss",
        parameters=graph.names(indices),
        link=link,
        causes=distinct(places),
        evidence={"requires_grad": False, "grad_norm": None},
        fix="Leave the parameters that are to be trained out of the freezing."
        if frozen
        else "Compute the loss from what the model gives for this batch.",
    )


def _escapes(graph: Graph) -> bool:
    """Whether a parameter's value left torch on its way: then the rule about that speaks."""
    left = {v for e in graph.updates.events.get("escape", ()) for v in e.values}
    return bool(left) and any(left & graph.flow.downstream(i).keys() for i in graph.sick(4, 5))


def _freezes(graph: Graph, frozen: list[int]) -> list[Site]:
    """Where the parameters were frozen; for those made frozen, where that was decided."""
    params: list[t.Param] = [graph.trace.params[i] for i in frozen]
    stacks = dict.fromkeys(p.flips[-1].stack if p.flips else p.created for p in params)
    by_default = dict.fromkeys(p.frozen_by_default for p in params if p.frozen_by_default >= 0)
    return [graph.site(n, "frozen") for n in by_default] + [
        s for stack in list(stacks)[:3] for s in graph.sites(stack, "frozen", 1)
    ]
