"""A class number or an index lies outside of what it is looked up in.

## What it means

`cross_entropy` needs targets from 0 to C - 1, an embedding ids below its number of rows. On the CPU the call raises
("Target 3 is out of bounds", "index out of range in self"). On a GPU the kernel aborts later, as "CUDA error:
device-side assert triggered" at a line that has nothing to do with it, and the GPU can't be used any more.

## How to recognise it

whygrad compares the least and the greatest index with the number of classes or rows. For a GPU it takes the range of
integers as they are copied there from the CPU, so that it is known after the abort too.

## Example

```python
model = nn.Linear(5, 3)
labels = torch.tensor([1, 2, 3])          # counted from 1
F.cross_entropy(model(x), labels)
```

## Use instead

```python
model = nn.Linear(5, 3)
labels = torch.tensor([1, 2, 3]) - 1
F.cross_entropy(model(x), labels)
```

## Not this rule

Targets equal to `ignore_index` (-100 unless another is given) are left out of the loss.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.indexing import Lookup, from_call, from_operations, lookups
from whygrad.graph.raising import mismatch, origin, sized


def check(graph: Graph) -> Iterator[Finding]:
    """The index, its range, and what it was looked up in."""
    error = graph.trace.raised
    if error is None or mismatch(error) != "range":
        return
    late = "device-side assert" in error.message
    found = next(from_operations(graph), None) if late else from_call(graph, error)
    places: list[Site] = _places(graph, found) if found is not None else _candidates(graph) if late else []
    yield Finding(
        rule="target-out-of-range",
        severity="error",
        title=_title(found, error),
        parameters=graph.names([found.table] if found is not None and found.table >= 0 else ()),
        causes=distinct([*places, *graph.sites(error.stack, "raised", 1)]),
        evidence=_evidence(found),
        fix=_fix(found, late),
    )


def _title(found: Lookup | None, error: t.Raised) -> str:
    if found is None and "device-side assert" in error.message:
        return "an index on the GPU was out of range, in an operation before the line that raised"
    if found is None:
        shape = f" of shape {sized(error.tensors[0].shape)}" if error.tensors else ""
        return f"`{error.call}` was asked for what a tensor{shape} does not have: {error.message.partition(chr(10))[0]}"
    wrong = found.high if found.high is not None and found.high >= found.limit else found.low
    number = "a number" if wrong is None else f"{wrong:g}"
    what = "a target of" if found.classes else "an index of"
    many = "classes" if found.classes else "rows"
    return f"{number} is {what} `{found.call}`, which has {found.limit} {many}: 0 to {found.limit - 1}"


def _evidence(found: Lookup | None) -> dict[str, object]:
    return {} if found is None else {"least": found.low, "greatest": found.high, "limit": found.limit}


def _fix(found: Lookup | None, late: bool) -> str:
    if found is not None:
        return "Number from 0, and make the layer (or the table) as large as the greatest number plus one."
    if late:
        return "Run it on the CPU, or with CUDA_LAUNCH_BLOCKING=1, to have it raise at its own line."
    return "Look at the shape of the tensor at this line."


def _places(graph: Graph, found: Lookup) -> list[Site]:
    index = origin(graph, found.index, "index")
    here = list(graph.sites(found.stack, "looked up", 1))
    if found.table < 0:
        return [*index, *here]
    table = list(graph.sites(graph.trace.params[found.table].created, "table", 1, True))
    return [*index, *here, *table] if found.classes else [*table, *index, *here]


def _candidates(graph: Graph) -> list[Site]:
    """The last look-ups by number of which nothing more is known."""
    stacks = dict.fromkeys(found.stack for found in lookups(graph))
    return [s for stack in list(stacks)[:3] for s in graph.sites(stack, "looked up", 0)]
