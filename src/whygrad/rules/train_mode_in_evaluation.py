"""The model is evaluated in training mode.

## What it means

Without `model.eval()` a pass over validation data drops activations, and BatchNorm normalises by each batch and takes the
validation data into its running statistics. `torch.no_grad()` changes nothing of that: it only switches autograd off.

## How to recognise it

The same inputs give different outputs; the accuracy depends on the size and the order of the validation batches.

## Example

```python
with torch.no_grad():
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum().item()
```

## Use instead

```python
model.eval()
with torch.no_grad():
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum().item()
model.train()
```

## Not this rule

Targets that are computed under `no_grad` and used in a loss; passes whose results nobody reads (they only update
statistics); Monte Carlo dropout, where the model as a whole is in evaluation mode; the training batch itself, looked at
once more; a model without dropout and without running statistics.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
- https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group
from whygrad.graph.modes import held, several


def check(graph: Graph) -> Iterator[Finding]:
    """Passes of a model in training, with autograd off and dropout or statistics at work, that end in numbers."""
    layers = graph.trace.learning.modes.layers
    found = [n for n, layer in enumerate(layers) if _trains(graph, layer) and _evaluates(graph, layer)]
    for off, numbers in group((graph.flow.kind(layers[n].silent[0]).grad_off, n) for n in found):
        some = [layers[n] for n in numbers]
        effect = [
            *(["dropout is on"] if any(one.what == "dropout" for one in some) else []),
            *(
                ["the running statistics take in what is only to be judged"]
                if any(one.statistics for one in some)
                else []
            ),
        ]
        yield Finding(
            rule="train-mode-in-evaluation",
            severity="warning",
            title=f"{some[0].root or 'the model'} is evaluated in training mode: {', '.join(effect)} ({several(some)})",
            link=10,
            causes=distinct(
                [
                    *(graph.sites(graph.trace.events[off].stack, "evaluation begins", 0) if off >= 0 else ()),
                    *graph.op_sites(some[0].silent[0], "called", 1),
                ]
            )[:3],
            evidence={"calls": max(one.without_grad for one in some)},
            fix="Call model.eval() before the evaluation, and model.train() after it.",
        )


def _trains(graph: Graph, layer: t.Layer) -> bool:
    """Whether the layer heeds the mode, trains in training mode, and its model as a whole is never in evaluation mode."""
    works = layer.p if layer.what == "dropout" else layer.statistics
    trained = any(span.training for span in layer.spans) and held(graph, layer.params)
    return bool(
        works and trained and layer.silent and layer.root_training and layer.module >= 0 and not layer.loose
    ) and (layer.eval_switch < 0)


def _evaluates(graph: Graph, layer: t.Layer) -> bool:
    """Whether what came of the calls without gradient was read as numbers, and no loss was computed from it, nor its
    inputs used for training."""
    read = {v for e in graph.updates.events.get("escape", ()) for v in e.values}
    losses = set().union(*graph.flow.loss_histories) if graph.flow.loss_histories else set()
    for op in layer.silent:
        reached = _downstream(graph, graph.trace.ops[op].outs)
        given = {v for v in graph.flow.upstream(graph.trace.ops[op].ins) if _datum(graph.trace.values[v])}
        if reached & losses or given & losses or not (reached & read or _compared(graph, reached)):
            return False
    return True


def _compared(graph: Graph, values: set[int]) -> bool:
    """Whether something was asked to be equal (to its label, say); integers that are read leave no event."""
    ops = {op for v in values for op in graph.flow.consumers.get(v, ())}
    return any(graph.flow.kind(op).name in ("eq", "__eq__", "ne", "__ne__") for op in ops)


def _datum(value: t.Value) -> bool:
    return value.op < 0 and value.param < 0


def _downstream(graph: Graph, start: Iterable[int]) -> set[int]:
    found = set(start)
    queue = deque(found)
    while queue:
        for op in graph.flow.consumers.get(queue.popleft(), ()):
            fresh = [
                v for v in graph.trace.ops[op].outs if v not in found and graph.trace.values[v].param < 0
            ]
            found.update(fresh)
            queue.extend(fresh)
    return found
