"""One loss is back-propagated twice before one step, so that its gradient counts twice.

## What it means

`backward` adds to `.grad`. A second `backward` on the same loss (with `retain_graph=True`, which silences the error that
torch would raise), or on a sum that this loss is part of, adds the same gradient once more. With plain SGD the step is
twice as long; beside a second loss the balance between the two is another one than is written.

## How to recognise it

`retain_graph=True` that is needed for no other reason than two calls of `backward` on one loss.

## Example

```python
loss_a.backward(retain_graph=True)
total = loss_a + loss_b
total.backward()                # loss_a counts twice
optimizer.step()
```

## Use instead

```python
(loss_a + loss_b).backward()
optimizer.step()
```

## Not this rule

Two different losses that share a part of the model; a second pass after the gradients were cleared; a loss that only
counts twice for an optimizer that does not mind a common factor (Adam and its like), which is a note.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
- https://docs.pytorch.org/docs/stable/notes/autograd.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group
from whygrad.graph.reduction import adaptive

_STEPS = 2  #: steps that must have used such a gradient


def check(graph: Graph) -> Iterator[Finding]:
    """Uses of a gradient that held two passes of one loss, or of a loss and of a sum with that loss in it."""
    trace = graph.trace
    for optimizer, used in graph.deposits.by_optimizer():
        twice = {
            p: pairs
            for p, uses in used.items()
            if (pairs := [x for u in uses if (x := _pair(graph, u.passes))])
        }
        often = [p for p, pairs in twice.items() if len(pairs) >= max(_STEPS, len(used[p]) // 2)]
        for stacks, params in group((_stacks(graph, twice[p][-1]), p) for p in often):
            first, second = twice[params[0]][-1]
            same = trace.backwards[first].losses == trace.backwards[second].losses
            harmless = same and optimizer >= 0 and adaptive(trace.optimizers[optimizer])
            yield Finding(
                rule="backward-twice",
                severity="note" if harmless else "warning",
                title=f"{graph.count(params)}: one loss is back-propagated twice before each step"
                + ("" if same else ", by itself and within a sum"),
                parameters=graph.names(params),
                link=10,
                causes=distinct([s for n in reversed(stacks) for s in graph.sites(n, "backward", 0)]),
                evidence={
                    "steps": len(twice[params[0]]),
                    "loss": trace.backwards[first].loss,
                    "grad_norm_of_each": [graph.deposits.own(params[0], b) for b in (first, second)],
                },
                fix="Call backward() once on each loss, or once on their sum; then retain_graph=True is not needed.",
            )


def _stacks(graph: Graph, pair: tuple[int, int]) -> tuple[int, int]:
    return graph.trace.backwards[pair[0]].stack, graph.trace.backwards[pair[1]].stack


def _pair(graph: Graph, passes: tuple[int, ...]) -> tuple[int, int] | None:
    """Two of the passes where the loss of the first lies in the graph of the second."""
    for i, first in enumerate(passes):
        op = graph.flow.made(graph.trace.backwards[first].losses)
        for second in passes[i + 1 :]:
            if op >= 0 and op in graph.flow.ops_of(second):
                return first, second
    return None
