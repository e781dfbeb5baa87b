"""``load_state_dict(strict=False)`` loaded nothing, or next to nothing, and said so only in what it returns.

## What it means
With ``strict=False`` names that do not fit are left out in silence. Where a whole prefix differs (``module.`` of a wrapper,
``backbone.``, a dictionary around the state), no name fits at all: the model trains from random values while it seems
to be pretrained.

## How to recognise it
``print(model.load_state_dict(state, strict=False))`` shows missing and unexpected keys that differ by a prefix only.

## Example
```python
state = torch.load("resnet.pt")  # {"module.conv1.weight": ...}
model.load_state_dict(state, strict=False)
```

## Use instead
```python
state = torch.load("resnet.pt")
model.load_state_dict({k.removeprefix("module."): v for k, v in state.items()})
```

## Not this rule
A new head on pretrained layers: some names are missing, but the others fit. Reported are states of which at most a tenth of
the model's names fit; even a backbone of a single layer with a new head of one has half of them.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph

_SHARE = 0.1  #: of the names: less than that is no pretrained model with a new head


def check(graph: Graph) -> Iterator[Finding]:
    """States of which (almost) no name fits the module."""
    for one in graph.trace.learning.snapshots.loaded:
        if not one.missing or not one.unexpected or one.found > _SHARE * (one.found + one.missing):
            continue
        whole = "nothing" if not one.found else f"only {one.found} of {one.found + one.missing} names"
        yield Finding(
            rule="incomplete-checkpoint",
            severity="error" if not one.found else "warning",
            title=f"load_state_dict(strict=False) loaded {whole}: it has {one.example[1]}, the model {one.example[0]}",
            parameters=graph.names(one.params),
            link=10,
            causes=graph.sites(one.stack, "loaded", 1),
            evidence={"fitting": one.found, "missing": one.missing, "unexpected": one.unexpected},
            fix="Make the names fit (removeprefix), and load with strict=True.",
        )
