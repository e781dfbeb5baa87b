"""An operation was given tensors whose shapes do not fit.

## What it means

"mat1 and mat2 shapes cannot be multiplied (8x196 and 144x10)" names numbers, but neither the layer nor where it was
made. Usually a layer was made for another number of features, an input was not flattened, its channels stand last, or
a `view` has folded features into the batch.

## How to recognise it

whygrad compares the input with what the layer was made for, and shows the line that has to change: the layer's, if
only its number of features is wrong, else the line that gave it the input.

## Example

```python
self.head = nn.Linear(4 * 6 * 6, 10)      # 16x16 images give 4 * 7 * 7
return self.head(x.flatten(1))
```

## Use instead

```python
self.head = nn.LazyLinear(10)             # or nn.Linear(4 * 7 * 7, 10)
return self.head(x.flatten(1))
```

## Not this rule

Shapes that broadcast raise nothing, also where they should: a loss of `[N, 1]` against `[N]` is another rule's.

## References

- https://docs.pytorch.org/docs/stable/notes/broadcasting.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyLinear.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.misfits import misfit
from whygrad.graph.raising import labels, made, mismatch


def check(graph: Graph) -> Iterator[Finding]:
    """The call, its tensors with their shapes, and the line to change."""
    error = graph.trace.raised
    if error is None or mismatch(error) != "shape":
        return
    found = misfit(graph, error)
    others = [s for g in error.tensors[:3] for s in graph.sites(made(graph, g.value), "made here", 0)]
    yield Finding(
        rule="shape-mismatch",
        severity="error",
        title=found.title,
        parameters=graph.names([found.param] if found.param >= 0 else ()),
        causes=distinct([*found.places, *graph.sites(error.stack, "raised", 2), *others]),
        evidence={name: list(g.shape) for name, g in labels(graph, error.tensors[:4])},
        fix=found.fix,
    )
