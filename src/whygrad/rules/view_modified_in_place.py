"""A view that autograd can't follow was written in place.

## What it means

A write to a view changes the tensor that it looks into, and autograd must enter it into that tensor's history. It
can't where a function gives several views at once ("Output 0 of UnbindBackward0 is a view and is being modified
inplace"), nor where the view was made with autograd off and is written with autograd on ("A view was created in
no_grad mode and is being modified inplace with grad mode enabled").

## How to recognise it

The tensor that is written comes out of `unbind`, `split`, `chunk` or iteration over a tensor, or was sliced under
`torch.no_grad()`.

## Example

```python
for row in h.unbind(0):
    row *= 2
```

## Use instead

```python
h = torch.stack([row * 2 for row in h.unbind(0)])
```

A view of a weight that is to be overwritten is made and written under `torch.no_grad()`, both.

## Not this rule

A slice, `h[0] *= 2`, is one view, and autograd follows it. What else may come of it tells `saved-tensor-modified`.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
- https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import made, raised

_MESSAGES = (
    "is a view and is being modified inplace",
    "A view was created in",
    "is a view and its base or another view",
)


def check(graph: Graph) -> Iterator[Finding]:
    """The write, and where the view was made."""
    error = raised(graph, *_MESSAGES)
    if error is None:
        return
    view = error.tensors[0] if error.tensors else None
    op = graph.trace.values[view.value].op if view is not None else -1
    maker = graph.label(op) if op >= 0 else "a view"
    without = "created in" in error.message and "mode" in error.message
    yield Finding(
        rule="view-modified-in-place",
        severity="error",
        title=f"what {maker} gives is a view, and it is written in place"
        + (" with autograd on, though it was made with autograd off" if without else ""),
        causes=distinct(
            [
                *graph.sites(error.stack, "written in place", 1),
                *(graph.sites(made(graph, view.value), "view", 0) if view is not None else ()),
            ]
        ),
        evidence={"shape": list(view.shape)} if view is not None else {},
        fix="Put the write under torch.no_grad() too."
        if without
        else "Make a new tensor of it instead, and put the parts together with torch.stack or torch.cat.",
    )
