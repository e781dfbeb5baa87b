"""A tensor that was made under inference_mode was used in a computation that autograd records.

## What it means

`torch.inference_mode()` is stricter than `no_grad`: what is made within it has no version number, and autograd may
never save it. "Inference tensors cannot be saved for backward" is raised as soon as one meets a parameter that is to
be trained, often far from the block that made it.

## How to recognise it

`tensor.is_inference()` is `True`. Typical are features computed once for a head that is trained on them.

## Example

```python
with torch.inference_mode():
    features = backbone(x)
loss = criterion(head(features), y)
```

## Use instead

```python
with torch.no_grad():
    features = backbone(x)
loss = criterion(head(features), y)
```

Or `features = features.clone()`, outside of the block.

## Not this rule

A whole forward pass under inference_mode raises nothing there; its loss has no graph (`no-grad-path`).

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode
- https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, grad_off
from whygrad.graph.raising import made, raised

_MESSAGES = (
    "Inference tensors cannot be saved for backward",
    "Inplace update to inference tensor outside InferenceMode",
    "Setting requires_grad=True on inference tensor outside InferenceMode",
)


def check(graph: Graph) -> Iterator[Finding]:
    """The block that made the tensor, and the call that needed it for backward."""
    error = raised(graph, *_MESSAGES)
    if error is None:
        return
    given = [g for g in error.tensors if g.param < 0]
    ops = [op for g in given if (op := graph.trace.values[g.value].op) >= 0]
    blocks = [
        e for op in ops if (e := grad_off(graph, op)) is not None and "inference" in str(e.data.get("how"))
    ]
    makers = [s for g in given[:2] for s in graph.sites(made(graph, g.value), "made here", 1)]
    yield Finding(
        rule="inference-tensor-in-training",
        severity="error",
        title=f"`{error.call}` was given a tensor that was made under inference_mode, which autograd can't use",
        causes=distinct(
            [
                *(s for e in blocks for s in graph.sites(e.stack, "inference mode", 0)),
                *makers,
                *graph.sites(error.stack, "used here", 1),
            ]
        ),
        evidence={"shape": list(given[0].shape)} if given else {},
        fix="Use torch.no_grad() instead of inference_mode, or clone the tensor outside of the block.",
    )
