"""A frozen part of the model goes on changing: its BatchNorm statistics are updated.

## What it means

`requires_grad = False` stops the parameters. The running mean and variance of BatchNorm are no parameters: they are
updated by every forward pass in training mode, also under `torch.no_grad()`, and `model.train()` puts the frozen layers
back into it. So the statistics move to the new data while the weights that were trained with the old ones stay, and what
the frozen part could do is lost.

## How to recognise it

The frozen part gives other outputs after fine-tuning than before, in evaluation mode too; `running_mean` changes from
step to step.

## Example

```python
for p in model.backbone.parameters():
    p.requires_grad = False
for epoch in range(epochs):
    model.train()
    ...
```

## Use instead

```python
for epoch in range(epochs):
    model.train()
    model.backbone.eval()
    ...
```

## Not this rule

Layers that had learned no statistics before (a random, fixed network); parameters that are frozen and set free in turns
(the halves of a GAN); copies that the script itself updates (a moving average, a target network); passes that adapt the
statistics with no training step in between; statistics that move by less than 0.2 standard deviations and less than
20 % in the variance (on the data that they were learned from they move by 0.15 at most within 10 batches of 8 normal
numbers, by 0.05 with 64: measured 20 times each).

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html
- https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
- https://github.com/pytorch/pytorch/issues/86590
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, group
from whygrad.graph.modes import frozen_at, label, made, norms, several, switch, written

_MOVED = 0.2
_CALLS = 3


def check(graph: Graph) -> Iterator[Finding]:
    """Layers with learned statistics that no training of their own goes through, and whose statistics move with steps."""
    found = [(layer, own) for layer, own in norms(graph) if _frozen(graph, layer, own)]
    far = [max(own.drift or 0.0, own.scaling or 0.0) for _, own in found]
    if max(far, default=0.0) <= _MOVED:
        return
    for number, indices in group((layer.train_switch, n) for n, (layer, _) in enumerate(found)):
        del number
        most = max(indices, key=lambda n: far[n])
        if far[most] <= _MOVED:
            continue
        layers, own = [found[n][0] for n in indices], found[most][1]
        yield Finding(
            rule="frozen-batchnorm-updates",
            severity="warning",
            title=f"{several(layers)} {'is' if len(layers) == 1 else 'are'} frozen, yet in training mode: the running "
            f"mean of {label(found[most][0])} has moved by {own.drift:.2g} standard deviations in {own.frozen} passes, its "
            f"variance by {own.scaling:.0%}",
            parameters=graph.names({p for layer in layers for p in layer.own}),
            link=10,
            causes=_causes(graph, layers)[:3],
            evidence={"passes": own.frozen, "mean_moved_by": own.drift, "variance_moved_by": own.scaling},
            fix="Call eval() on the frozen part after every train(), or override its train() so that its normalisation "
            "layers stay in evaluation mode.",
        )


def _frozen(graph: Graph, layer: t.Layer, own: t.Statistics) -> bool:
    if own.frozen < _CALLS or not own.learned or own.frozen_until - own.frozen_since < _CALLS - 1:
        return False
    if not layer.own or any(written(graph, p) for p in layer.own):
        return False
    params = graph.trace.params
    if any(params[p].requires_grad for p in layer.own):
        return own.recorded == 0 and not any(p in graph.updates.holders for p in layer.own)
    return not any(params[p].flips and frozen_at(graph, p) is None for p in layer.own)


def _causes(graph: Graph, layers: list[t.Layer]) -> tuple[Site, ...]:
    """The call of ``train`` that came after the freeze, else the freeze, which should have come with ``eval``."""
    on = switch(graph, layers[0].train_switch)
    flips = [flip for layer in layers for p in layer.own if (flip := frozen_at(graph, p))]
    trained = graph.sites(on.stack, "switched to training", 0) if on else ()
    frozen = graph.sites(flips[0].stack, "frozen", 0) if flips else ()
    after = on is not None and (not flips or on.tick > flips[0].tick)
    return distinct([*trained, *frozen] if after else [*frozen, *trained, *made(graph, layers)])
