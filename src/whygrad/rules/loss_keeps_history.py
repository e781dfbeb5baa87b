"""A loss (or a state) carries the graphs of earlier iterations along.

## What it means

`total = total + loss` builds on the graph of the last iteration. Going back through `total` goes back through all
batches so far: pass k costs k times as much, and its gradient is the sum of k gradients, computed at weights that are
gone. `retain_graph=True` is what keeps torch from raising. The same happens with the hidden state of a recurrent network
that is never detached.

A running sum of losses of a validation loop without `torch.no_grad()` keeps all their graphs, and so all activations,
until it is let go. (In training, after `backward`, only the nodes of the graph are left, without the activations that they
had saved. That is a note.)

## How to recognise it

Steps get slower and slower, memory grows, and the gradient's norm grows with the number of the step.

## Example

```python
total = 0.0
for x, y in loader:
    optimizer.zero_grad()
    total = total + F.cross_entropy(model(x), y)
    total.backward(retain_graph=True)
    optimizer.step()
```

## Use instead

```python
for x, y in loader:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    total += loss.item()
```

For a hidden state: `h = h.detach()` between two iterations.

## Not this rule

Losses that are added up within one iteration; those of an episode that are back-propagated together at its end; truncated
back-propagation through time; a graph that two passes share before one step.

## References

- https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
- https://docs.pytorch.org/docs/stable/notes/autograd.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.history import growing, kept


def check(graph: Graph) -> Iterator[Finding]:
    """Passes that went through all earlier ones again; sums that keep graphs nobody goes back through."""
    for found in growing(graph):
        first, last = found.sizes[0], found.sizes[-1]
        yield Finding(
            rule="loss-keeps-history",
            severity="error",
            title=f"each backward pass goes through all earlier iterations again: {first} operations at first, {last} "
            f"after {len(found.passes)} passes",
            parameters=graph.names(found.params),
            link=10,
            causes=distinct(
                [
                    *graph.op_sites(found.join, "carried on", 0),
                    *graph.sites(graph.trace.backwards[found.passes[-1]].stack, "backward", 0),
                ]
            ),
            evidence={"operations": found.sizes, "passes": len(found.passes)},
            fix="Go back through this iteration's loss only; add up loss.item() for the log, and detach() a state that "
            "is carried on.",
        )
    for sum_ in kept(graph):
        grows = (
            f"{sum_.bytes / 1024:.3g} KB of activations" if not sum_.freed else f"{sum_.nodes} empty nodes"
        )
        yield Finding(
            rule="loss-keeps-history",
            severity="note" if sum_.freed else "warning",
            title=f"a sum of {sum_.links} losses keeps their graphs: {grows} more at each iteration",
            link=10,
            causes=graph.op_sites(sum_.op, "kept", 0),
            evidence={"losses": sum_.links, "bytes_each": sum_.bytes, "nodes_each": sum_.nodes},
            fix="Add up loss.item(), and evaluate under torch.no_grad().",
        )
