"""A part of the model that is to stay frozen is put back by `train()`, or is only frozen in a `train()` that never runs.

## What it means

`model.train()` reaches every module below: a BatchNorm or Dropout layer that was put into evaluation mode by itself is
in training mode again, and updates its statistics or drops activations. A freeze by `eval()` must come after every
`train()`, or live in a `train()` of the model's own. That one runs only when it is called: a model that has just been made
is in training mode without it, so a freeze that stands nowhere else is not in force until somebody calls `model.train()`.
And a `train()` of one's own that sets `requires_grad` of all parameters undoes the freeze of some.

## How to recognise it

`running_mean` of the frozen layers changes; the frozen weights move.

## Example

```python
for m in model.modules():
    if isinstance(m, nn.BatchNorm2d):
        m.eval()
for epoch in range(epochs):
    model.train()
    ...
```

## Use instead

```python
for epoch in range(epochs):
    model.train()
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.eval()
    ...
```

## Not this rule

A model that comes in evaluation mode as a whole; a part that was put into it to compute something (its features, the size of its
output) and is trained afterwards; a part that is put back by a call on itself; weights that are set free on purpose after some steps.
Statistics of layers whose weights are frozen: that is `frozen-batchnorm-updates`, which measures how far they move.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train
- https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group
from whygrad.graph.modes import held, several, switch

_STEPS = 3  #: in training mode, after it was put back
_BEFORE = 2  #: in evaluation mode before that, which show that it was meant


def check(graph: Graph) -> Iterator[Finding]:
    """Layers put back by a call on the whole; overridden `train` that never ran; parameters set free by one."""
    layers = [layer for layer in graph.trace.learning.modes.layers if _put_back(graph, layer)]
    for (apart, undone), numbers in group(((one.apart, one.undone), n) for n, one in enumerate(layers)):
        own = [layers[n] for n in numbers]
        off, on = switch(graph, apart), switch(graph, undone)
        before = own[0].spans[-2].steps if len(own[0].spans) > 1 else 0
        yield Finding(
            rule="freeze-undone",
            severity="warning",
            title=f"{several(own)} {'was' if len(own) == 1 else 'were'} put into evaluation mode, and put back by train() of "
            f"the whole {'after ' + str(before) + ' steps' if before else 'before any step'}",
            parameters=graph.names({p for one in own for p in one.own}),
            link=10,
            causes=distinct(
                [
                    *(graph.sites(on.stack, "put back", 0) if on else ()),
                    *(graph.sites(off.stack, "frozen", 0) if off else ()),
                ]
            ),
            evidence={"layers": len(own), "steps_in_train_mode": own[0].spans[-1].steps},
            fix="Call eval() on the part after every train(), or override the model's train() so that it does.",
        )
    yield from _never_applied(graph)
    yield from _set_free(graph)


def _put_back(graph: Graph, layer: t.Layer) -> bool:
    spans = layer.spans
    if layer.undone < 0 or not spans or not spans[-1].training or spans[-1].steps < _STEPS:
        return False
    works = layer.p if layer.what == "dropout" else layer.statistics
    frozen = (
        layer.what == "norm" and layer.own and not any(graph.trace.params[p].requires_grad for p in layer.own)
    )
    if not works or frozen:
        return False
    if len(spans) == 1:
        return not layer.ran_apart
    freed = any(f.value and f.step for p in layer.own for f in graph.trace.params[p].flips)
    return spans[-2].steps >= _BEFORE and not freed


def _never_applied(graph: Graph) -> Iterator[Finding]:
    for one in graph.trace.learning.unapplied:
        free = [p for p in held(graph, one.params) if graph.updates.trained(p)]
        if len(graph.trace.steps) < _STEPS or not (free or (one.norms and not one.params)):
            continue
        what = f"{graph.count(free)} train" if free else f"{one.norms} layers update their statistics"
        yield Finding(
            rule="freeze-undone",
            severity="warning",
            title=f"{one.kind}.train() is what freezes a part of the model, and it was never called: {what}",
            parameters=graph.names(free),
            link=10,
            causes=distinct(
                [
                    *graph.sites(one.stack, "never called", 0),
                    *(s for i in one.lines for s in graph.sites(i, "freeze", 0)),
                ]
            )[:3],
            evidence={"parameters": len(free), "layers": one.norms},
            fix="Call model.train() before the training loop, or freeze in the constructor, too.",
        )


def _set_free(graph: Graph) -> Iterator[Finding]:
    """Parameters that were frozen, and set free by `train` itself before any step was taken."""
    found = []
    for index, param in enumerate(graph.trace.params):
        flips = param.flips
        if len(flips) < 2 or not flips[-1].value or not graph.updates.trained(index):
            continue
        frozen = next((f for f in flips if not f.value), None)
        free = next((f for f in flips if f.value and frozen is not None and f.tick > frozen.tick), None)
        if frozen is None or free is None or free.step > frozen.step:
            continue
        if _in_train(graph, free.stack) and not _in_train(graph, frozen.stack):
            found.append(((free.stack, frozen.stack), index))
    for (free_at, frozen_at), indices in group(found):
        yield Finding(
            rule="freeze-undone",
            severity="error",
            title=f"{graph.count(indices)} were frozen, and train() of the model sets them free again: they train",
            parameters=graph.names(indices),
            link=10,
            causes=distinct([*graph.sites(free_at, "set free", 0), *graph.sites(frozen_at, "frozen", 0)]),
            evidence={"parameters": len(indices)},
            fix="Let train() leave requires_grad alone, or set it for the parts that are to train only.",
        )


def _in_train(graph: Graph, stack: int) -> bool:
    frames = graph.trace.stacks[stack] if stack >= 0 else ()
    name = graph.trace.frames[frames[0]].function if frames else ""
    return name.endswith(".train")
