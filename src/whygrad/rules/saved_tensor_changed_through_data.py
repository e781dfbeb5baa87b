"""A tensor that backward still needed was written through `.data`, and backward computed with the wrong numbers.

## What it means

Many operations keep their operands or their result for the way back. A write in place raises the tensor's version
counter, and backward refuses to go on ("modified by an inplace operation"). ``.data`` gives a tensor with the same numbers
and a counter of its own: a write through it is not noticed, and the gradients are silently wrong.

## How to recognise it

The loss falls slower than it should, or not at all, and ``torch.autograd.gradcheck`` fails. Written with ``.detach()``
instead of ``.data``, the same script raises.

## Example

```python
h = torch.tanh(self.first(x))
out = self.second(h)
h.data.clamp_(-0.5, 0.5)       # second's weight gets its gradient from the clamped numbers
```

## Use instead

```python
h = torch.tanh(self.first(x)).clamp(-0.5, 0.5)
out = self.second(h)
```

Weights are changed after ``optimizer.step()`` and before the next forward pass, under ``torch.no_grad()``.

## Not this rule

Writes through ``.data`` after backward (clipped weights, moving averages), and writes to what no operation keeps.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
- https://docs.pytorch.org/docs/stable/autograd.html#in-place-operations-on-tensors
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.behind_autograd import hidden_writes


def check(graph: Graph) -> Iterator[Finding]:
    """Writes through ``.data`` between the operation that had kept the tensor and its backward."""
    for own in hidden_writes(graph):
        params = [i for i in graph.trace.backwards[own.backward].reached if graph.trace.params[i].named]
        yield Finding(
            rule="saved-tensor-changed-through-data",
            severity="warning",
            title=f"`{own.name.strip('_')}` wrote through .data to a tensor that {graph.label(own.saver)} had kept for backward, before "
            "backward ran: the gradients are those of other numbers",
            parameters=graph.names(params),
            link=10,
            causes=distinct([*graph.sites(own.stack, "modified", 1), *graph.op_sites(own.saver, "saved", 0)]),
            evidence={"backward_pass": own.backward + 1},
            fix="Make a new tensor instead of writing through .data, or write after backward, under torch.no_grad().",
        )
