"""A wrapper that must be updated to be any good is used, and never was.

## What it means

Some modules hold a state of their own that is worth nothing until something has updated it:

- `AveragedModel` (stochastic weight averaging, moving averages) begins as a copy of the model as it was then. Until
  `update_parameters` is called it is the untrained model, whatever the trained one has learned.
- `torch.nn.utils.spectral_norm` divides a weight by an estimate of its largest singular value. The vectors of this estimate are
  random at first, and are only improved by passes in training mode: in evaluation mode the weight is divided by a number
  that is far too small. (`torch.nn.utils.parametrizations.spectral_norm` makes 15 improvements at once.)
- A fake quantiser whose observer is switched off before it has seen any numbers has the scale 1: weights between -0.5
  and 0.5 become 0.

## How to recognise it

`averaged.n_averaged` is 0. The outputs of a layer with a spectral norm are many times as large in evaluation mode.

## Example

```python
averaged = AveragedModel(model)
for epoch in range(epochs):
    train(model)
evaluate(averaged)
```

## Use instead

```python
averaged = AveragedModel(model)
for epoch in range(epochs):
    train(model)
    averaged.update_parameters(model)
evaluate(averaged)
```

## Not this rule

Averages that are looked at early and updated later; a use before the first step; averages and vectors that were loaded; copies that
the script makes and averages itself (`copy.deepcopy`): a frozen reference looks the same. Running statistics of an averaged
model for which `update_bn` was not called are not reported either: torch keeps those of the source model, which were off by
0.06 to 0.32 standard deviations in six trainings, and made no difference to the accuracy.
A spectral norm is told of where the weight comes out at least 1.5 times too large.

## References

- https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.spectral_norm.html
- https://docs.pytorch.org/docs/stable/generated/torch.ao.quantization.fake_quantize.FakeQuantize.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group

_OFF = 1.5  #: times too large a weight comes out
_AVERAGE = "Call averaged.update_parameters(model) after the steps (or epochs) that are to be averaged."
_SPECTRAL = (
    "Run a pass in training mode first, load the vectors (weight_u, weight_v) too, or use "
    "torch.nn.utils.parametrizations.spectral_norm."
)


def check(graph: Graph) -> Iterator[Finding]:
    """Wrappers that were used and never updated, place by place."""
    found = [one for one in graph.trace.learning.unready if _told(graph, one)]
    for (kind, used), numbers in group(((one.kind, one.used), n) for n, one in enumerate(found)):
        del used
        own = [found[n] for n in numbers]
        title, fix = _words(kind, own)
        yield Finding(
            rule="evaluated-before-update",
            severity="warning" if kind == "spectral" else "error",
            title=title,
            link=10,
            causes=distinct(
                [*graph.sites(own[0].used, "used", 1), *graph.sites(own[0].created, "created", 0)]
            )[:3],
            evidence={"steps_before": own[0].steps, "wrappers": len(own), "off": own[0].off},
            fix=fix,
        )


def _told(graph: Graph, one: t.Unready) -> bool:
    if one.kind == "average":
        return graph.trace.ended == "end" or not graph.trace.learning.updates_averages
    return one.kind == "quantiser" or (one.off or 0.0) > _OFF


def _words(kind: str, own: list[t.Unready]) -> tuple[str, str]:
    many = f"{len(own)} " if len(own) > 1 else "an " if kind == "average" else "a "
    plural = "s are" if len(own) > 1 else " is"
    if kind == "average":
        said = f"{many}averaged model{plural} used after {own[0].steps} steps, and was never updated: it is the model as it "
        return said + "was when it was wrapped", _AVERAGE
    if kind == "spectral":
        said = f"{many}spectral norm{plural} used in evaluation mode before any pass in training mode: the weight is "
        return said + f"{own[0].off:.2g} times too large", _SPECTRAL
    said = (
        f"{many}fake quantiser{plural} used whose observer is off and has seen nothing: the scale is still 1"
    )
    return (
        said,
        "Let data pass with the observer enabled first (enable_observer), and switch it off afterwards.",
    )
