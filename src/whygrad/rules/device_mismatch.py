"""An operation was given tensors that lie on different devices.

## What it means

torch does not move tensors by itself: "Expected all tensors to be on the same device". Either the batch was not moved
to where the model is, the model was not moved, or a tensor was made within `forward` on the default device.

## How to recognise it

whygrad shows which tensor lies apart from the others, and where it was made.

## Example

```python
def forward(self, x):
    mask = torch.ones(x.shape[0], 4)
    return self.layer(x) * mask
```

## Use instead

```python
def forward(self, x):
    mask = torch.ones(x.shape[0], 4, device=x.device)
    return self.layer(x) * mask
```

A fixed tensor of a module belongs in a buffer (`register_buffer`), which moves with it.

## Not this rule

A tensor without dimensions (a number) may lie on the CPU.

## References

- https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.raising import called, labels, made, mismatch


def check(graph: Graph) -> Iterator[Finding]:
    """The call, the tensor that lies apart, and where it was made."""
    error = graph.trace.raised
    if error is None or mismatch(error) != "device":
        return
    apart = _apart(error)
    rest = next((g.device for g in error.tensors if apart and g.device != apart[0].device), "another device")
    places = [s for g in apart[:2] for s in _made(graph, g)]
    whole_model = bool(apart) and all(g.param >= 0 for g in apart)
    yield Finding(
        rule="device-mismatch",
        severity="error",
        title=f"`{error.call}` was given {called(graph, apart[0])} on {apart[0].device} and the rest on {rest}"
        if apart
        else f"`{error.call}` was given tensors on different devices",
        parameters=graph.names(g.param for g in apart if g.param >= 0),
        causes=distinct([*places, *graph.sites(error.stack, "raised", 2)]),
        evidence={name: g.device for name, g in labels(graph, error.tensors[:4])},
        fix=f"Move the model before the optimizer is made: model.to({rest!r})."
        if whole_model
        else "Make it with device=x.device, or register it as a buffer of the module; move a batch with .to(device).",
    )


def _apart(error: t.Raised) -> list[t.Given]:
    """The tensors that were left behind: those on the CPU, where everything starts, else those that are no parameters."""
    sized = [g for g in error.tensors if g.shape]
    left = [g for g in sized if g.device == "cpu"]
    if left and len(left) < len(sized):
        # a parameter is only to blame if nothing else lies there
        return [g for g in left if g.param < 0] or left
    return [g for g in sized if g.param < 0] or sized[:1]


def _made(graph: Graph, given: t.Given) -> list[Site]:
    stack = given.created if given.created >= 0 else made(graph, given.value)
    return list(graph.sites(stack, f"on {given.device}", 1, given.param >= 0))
