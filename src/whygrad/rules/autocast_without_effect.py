"""Mixed precision is asked for, and everything is computed in full precision.

## What it means

`torch.autocast` changes the type in which matrix products and convolutions run, for one type of device, within its `with`
block. It does nothing where the block stands around the loss or the backward pass alone, where it is made for another
device than the tensors are on, where another block switches it off again inside, or where the model is in float64,
which it leaves alone. The training is right, but as slow and as large as without it; a GradScaler then scales gradients that need none.

## How to recognise it

`model(x).dtype` within the block is float32.

## Example

```python
output = model(x)
with torch.autocast("cuda", dtype=torch.bfloat16):
    loss = criterion(output, y)
```

## Use instead

```python
with torch.autocast("cuda", dtype=torch.bfloat16):
    output = model(x)
    loss = criterion(output, y)
```

## Not this rule

A block that torch has switched off by itself, since the device is not there (a script for the GPU that is tried on the CPU),
or that is made with `enabled=False`. Parts in float32 beside others that run in half precision: reported is only a run in which not one
matrix product with parameters ran in half precision, while a block was entered for most of the backward passes.

## References

- https://docs.pytorch.org/docs/stable/amp.html
- https://docs.pytorch.org/docs/stable/amp.html#autocast-op-reference
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.precision import Idle, idle


def check(graph: Graph) -> Iterator[Finding]:
    """Regions of autocast in which nothing ran in half precision."""
    found = idle(graph)
    if found is None:
        return
    title, fix = _words(graph, found)
    inner = graph.sites(found.inner.stack, "switched off", 0) if found.inner else ()
    product = graph.op_sites(found.op, "in full precision", 0)
    entered = graph.sites(found.region.stack, "autocast", 0)
    yield Finding(
        rule="autocast-without-effect",
        severity="warning",
        title=title,
        link=10,
        causes=distinct([*inner, *entered, *product])[:3],
        evidence={
            "products_inside": found.inside,
            "products_outside": found.outside,
            "dtype": found.region.dtype,
        },
        fix=fix,
    )


def _words(graph: Graph, found: Idle) -> tuple[str, str]:
    region = f'autocast("{found.region.device}")'
    if found.why == "device":
        devices = " and ".join(graph.trace.learning.precision.devices)
        return (
            f"{region} has no effect: the parameters are on {devices}",
            f'Make it for the device that the model is on: torch.autocast("{devices}").',
        )
    if found.why == "outside":
        return (
            f"{region} has no effect: none of the model's {found.outside} matrix products ran within it",
            "Put the forward pass into the block; only backward and step belong outside.",
        )
    if found.why == "double":
        return (
            f"{region} has no effect: the model is in float64, which it leaves alone",
            "Keep the parameters in float32.",
        )
    if found.why == "off":
        return (
            f"{region} has no effect: it is switched off again around {found.inside} matrix products",
            "Switch it off around what needs full precision only.",
        )
    return (
        f"{region} has no effect: all {found.inside} matrix products within it ran in full precision",
        "Look at what is called there: operations with out=, or in a Function of one's own, leave it.",
    )
