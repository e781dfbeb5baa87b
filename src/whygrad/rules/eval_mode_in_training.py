"""The model trains in evaluation mode.

## What it means

`model.eval()` holds until `model.train()` is called; a new epoch does not undo it. In evaluation mode Dropout passes
everything on, and BatchNorm normalises with its running statistics, which are not updated any more. Gradients flow as
before, so nothing looks broken: the model only loses its regularisation, or normalises with numbers that fit its
activations less with every step.

## How to recognise it

The training loss falls faster than before the first validation, the validation loss gets worse; with BatchNorm the loss
jumps at the start of the second epoch. `model.training` is False in the training loop.

## Example

```python
def validate():
    model.eval()
    with torch.no_grad():
        return criterion(model(test_x), test_y).item()

model.train()
for epoch in range(epochs):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
    validate()
```

## Use instead

```python
for epoch in range(epochs):
    model.train()
    for x, y in loader:
        ...
    validate()
```

## Not this rule

Frozen parts in evaluation mode; BatchNorm layers that were put into it one by one, or by a model's own `train()`, while
the rest is in training mode; running statistics that fit the batches (a model that was loaded and is tuned on like data:
less than 0.6 standard deviations, or a factor of 1.8 in the variances, between them; after 60 batches of normal numbers
the next one is off by 0.55 at most with 8 samples a batch, by 0.18 with 64); a model without such layers, or
with a dropout of 0.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
- https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, group
from whygrad.graph.modes import place, several, switch

_STEPS = 3  #: in evaluation mode, one after the other, before it is taken for more than an episode
_MISFIT = 0.6


def check(graph: Graph) -> Iterator[Finding]:
    """Layers that heed the mode and go through the last steps, or all of them, in evaluation mode."""
    layers = graph.trace.learning.modes.layers
    stuck = [n for n, layer in enumerate(layers) if _stuck(layer)]
    for number, numbers in group((layers[n].eval_switch, n) for n in stuck):
        found = [layers[n] for n in numbers]
        spans = found[0].spans
        before = sum(s.steps for s in spans[:-1])
        when = f"since step {before} of training" if before else "from the first step on"
        effect = [
            *(["dropout is off"] if any(one.what == "dropout" for one in found) else []),
            *(["running statistics are used and not updated"] if any(_norm(one) for one in found) else []),
        ]
        params = sorted({p for one in found for p in one.params if p in graph.updates.holders})
        yield Finding(
            rule="eval-mode-in-training",
            severity="warning",
            title=f"{found[0].root or 'the model'} trains in evaluation mode {when}: {', '.join(effect)} "
            f"({several(found)})",
            parameters=graph.names(params),
            link=10,
            causes=_causes(graph, found[0])[:3],
            evidence={
                "steps_in_train_mode": before,
                "steps_in_eval_mode": spans[-1].steps,
                "dropout": max((one.p or 0.0 for one in found), default=0.0),
                "statistics_off_by": max((one.misfit or 0.0 for one in found), default=0.0),
            },
            fix="Call model.train() at the start of every epoch, or right after each validation"
            + ("." if number >= 0 else "; the model came in evaluation mode."),
        )


def _stuck(layer: t.Layer) -> bool:
    last = layer.spans[-1] if layer.spans else None
    if last is None or last.training or last.steps < _STEPS or layer.direct:
        return False
    if layer.what == "dropout" and not layer.p:
        return False
    if len(layer.spans) > 1:
        return layer.spans[-2].steps > 1 or len(layer.spans) == 2
    if layer.root_training:
        return False  # only this part, on purpose
    return layer.what == "dropout" or layer.misfit is None or layer.misfit > _MISFIT


def _norm(layer: t.Layer) -> bool:
    return layer.what == "norm"


def _causes(graph: Graph, layer: t.Layer) -> tuple[Site, ...]:
    """The call of ``eval``; the call of ``train`` that should come again; where validation is called."""
    off, on = switch(graph, layer.eval_switch), switch(graph, layer.train_switch)
    called = graph.sites(off.stack, "switched to evaluation", 1) if off else ()
    trained = graph.sites(on.stack, "train() is only called here", 0) if on else ()
    return distinct(
        [*called[:1], *trained, *called[1:], *(() if off else graph.sites(place(layer), "created", 0))]
    )
