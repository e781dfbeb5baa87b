"""Dropout that the model's mode does not reach.

## What it means

`F.dropout(x, 0.5)` drops in every call: its argument `training` is True by default, and a function knows nothing of
`model.eval()`. The same holds for an `nn.Dropout` that is made anew in `forward`, or kept in a plain list: it is in
training mode, and `eval()` does not find it. Evaluation then works with half of the activations missing.

## How to recognise it

Two evaluations of the same inputs give different outputs; the validation loss is noisy and too high.

## Example

```python
def forward(self, x):
    x = F.dropout(self.fc1(x).relu(), 0.5)
    return self.fc2(x)
```

## Use instead

```python
def forward(self, x):
    x = F.dropout(self.fc1(x).relu(), 0.5, training=self.training)
    return self.fc2(x)
```

or an `nn.Dropout` that is made in `__init__` and assigned to an attribute.

## Not this rule

A call that says `training=True` itself, as one does to sample from the posterior (Monte Carlo dropout); a share of 0; a
script that never calls `eval()`.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group


def check(graph: Graph) -> Iterator[Finding]:
    """Dropout by function without a mode, or by a module that is registered nowhere, in a script that calls eval()."""
    modes = graph.trace.learning.modes
    if not modes.evaluates:
        return
    found = [n for n, layer in enumerate(modes.layers) if _deaf(layer)]
    for (loose, _), numbers in group(
        ((modes.layers[n].loose, _line(graph, modes.layers[n])), n) for n in found
    ):
        layers = [modes.layers[n] for n in numbers]
        seen = sum(layer.in_eval for layer in layers)
        after = f", and did so {seen} times while the model was in evaluation mode" if seen else ""
        what = (
            "is registered in no module: eval() does not reach it" if loose else "is called without training="
        )
        share = max(layer.p or 0.0 for layer in layers)
        yield Finding(
            rule="dropout-always-on",
            severity="warning",
            title=f"{layers[0].kind} {what}, so it drops {share:.0%} in evaluation, too{after}",
            link=10,
            causes=distinct(
                [
                    *(graph.sites(layers[0].created, "created", 0) if loose else ()),
                    *graph.sites(layers[0].place, "dropout", 0),
                ]
            ),
            evidence={"share": share, "calls_in_evaluation_mode": seen},
            fix="Make an nn.Dropout in __init__ and assign it to an attribute of the module."
            if loose
            else "Pass training=self.training, or use an nn.Dropout.",
        )


def _deaf(layer: t.Layer) -> bool:
    if layer.what != "dropout" or not layer.p or "ropout" not in layer.kind:
        return False
    return layer.loose if layer.module >= 0 else bool(layer.root) and not layer.explicit


def _line(graph: Graph, layer: t.Layer) -> tuple[str, int]:
    sites = graph.sites(layer.created if layer.loose else layer.place, "", 0)
    return (sites[0].file, sites[0].line) if sites else ("", 0)
