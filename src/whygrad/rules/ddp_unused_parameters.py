"""Parameters of a model in DistributedDataParallel had no part in the loss, and the next forward pass raised.

## What it means

DistributedDataParallel waits for the gradient of every parameter before it counts an iteration as done. If some of
them got none, the next forward pass raises "Expected to have finished reduction in the prior iteration". The message
gives indices, and proposes `find_unused_parameters=True`, which hides the question why they are not used.

## How to recognise it

whygrad names the parameters, and says of each whether it is never called, or computed with and left out of the loss.

## Example

```python
logits, extra = model(x)
loss = cross_entropy(logits, y)          # extra is left out
```

## Use instead

```python
logits, extra = model(x)
loss = cross_entropy(logits, y) + 0.1 * auxiliary_loss(extra, x)
```

Or delete the layer. Where another branch is taken in every batch, `find_unused_parameters=True` is right.

## Not this rule

Without DistributedDataParallel such parameters raise nothing; see `unused-parameter` and `output-dropped`.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
- https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import raised


def check(graph: Graph) -> Iterator[Finding]:
    """The parameters that the last backward did not reach, and why."""
    error = raised(graph, "Expected to have finished reduction in the prior iteration")
    if error is None or not graph.trace.backwards:
        return
    last = len(graph.trace.backwards) - 1
    unused = _unused(graph, last)
    called = [i for i in unused if i in graph.flow.used]
    never = [i for i in unused if i not in graph.flow.used]
    cut = [i for i in called if last in graph.flow.by_value.get(i, ())]
    dropped = [i for i in called if i not in cut]
    raise_at = graph.sites(error.stack, "raised", 0)
    loss = graph.sites(graph.trace.backwards[last].stack, "backward", 0)
    for link, indices, why, places in (
        (5, cut, "are cut off from the loss", _cuts(graph, cut, last)),
        (4, dropped, "are computed with, but left out of the loss", _dropped(graph, dropped, last)),
        (3, never, "are never used in the forward pass", _created(graph, never)),
    ):
        if indices:
            yield Finding(
                rule="ddp-unused-parameters",
                severity="error",
                title=f"{graph.count(indices)} {why}, and DistributedDataParallel waits for their gradients",
                parameters=graph.names(indices),
                link=link,
                causes=distinct([*places, *loss, *raise_at]),
                evidence={"grad_norm": None},
                fix="Use them in the loss or delete the layer; if each batch uses another part, give "
                "DistributedDataParallel find_unused_parameters=True.",
            )


def _unused(graph: Graph, last: int) -> list[int]:
    """Trainable parameters of the model that the last backward went through, which it did not reach."""
    params = graph.trace.params
    reached = set(graph.trace.backwards[last].reached)
    roots = {params[i].root for i in reached}
    return [
        i
        for i, p in enumerate(params)
        if p.role == "parameter" and p.requires_grad and p.registered and p.root in roots and i not in reached
    ]


def _cuts(graph: Graph, indices: list[int], last: int) -> list[Site]:
    ops = sorted({op for i in indices for op in graph.flow.cuts(i, last)})
    return [s for op in ops[:3] for s in graph.op_sites(op, "cut")]


def _dropped(graph: Graph, indices: list[int], last: int) -> list[Site]:
    """Where the results that nothing consumes were computed, and the loss that leaves them out."""
    stacks: dict[int, None] = {}
    for index in indices:
        below = graph.flow.downstream(index)
        ends = [op for vid, op in below.items() if op >= 0 and not graph.flow.consumers.get(vid)]
        stacks.update(dict.fromkeys(graph.flow.kind(op).stack for op in ends[-1:]))
    losses = graph.trace.backwards[last].losses
    made = [graph.trace.values[v].op for v in losses if graph.trace.values[v].op >= 0]
    places = [s for stack in list(stacks)[:3] for s in graph.sites(stack, "left out", 0)]
    return [*places, *(s for op in made[:1] for s in graph.op_sites(op, "loss", 0))]


def _created(graph: Graph, indices: list[int]) -> list[Site]:
    stacks = dict.fromkeys(graph.trace.params[i].created for i in indices)
    return [s for stack in list(stacks)[:3] for s in graph.sites(stack, "created", 0, True)]
