"""The parameter is computed with, but the result never becomes part of a loss.

## What it means
The forward pass uses the layer, and nothing uses what it gives: the result of a call that was not assigned, a loss term
that was computed and not added, a second output that the loss function ignores. An optimizer holds the parameters all the
same, as if they were meant to train.

## How to recognise it
``.grad`` is None for these parameters, though hooks show that their layer runs. The finding is a warning for a result that
is thrown away where it is made and for a number (a loss) that nothing takes; other unused outputs are often meant to be
so in one phase of training, and get a note, which is not shown by default.

## Example
```python
self.norm(x + attention)
return x
```

## Use instead
```python
return self.norm(x + attention)
```

## Not this rule
Auxiliary heads of another phase, outputs that are only logged, parameters that no optimizer holds. A layer that is not
called at all is ``unused-parameter``.

## References
- https://docs.pytorch.org/docs/stable/notes/autograd.html
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.grad.html
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters in an optimizer whose last results nothing consumes, and which no backward pass reaches."""
    escaped = {v for e in graph.updates.events.get("escape", ()) for v in e.values}
    for _, indices in group((graph.trace.params[i].root, i) for i in graph.sick(4)):
        kept: list[int] = []
        ends: dict[int, bool] = {}
        for index in indices:
            below = graph.flow.downstream(index)
            if index not in graph.updates.holders or escaped & below.keys():
                continue
            last = {op: v for v, op in below.items() if op >= 0 and _dead_end(graph, v)}
            if last:
                kept.append(index)
                ends.update(
                    (graph.flow.kind(op).stack, _thrown_away(graph, op, last[op])) for op in list(last)[-3:]
                )
        if kept:
            sure = [stack for stack, thrown in ends.items() if thrown]
            yield Finding(
                rule="output-dropped",
                severity="warning" if sure else "note",
                title=f"{graph.count(kept)} get no gradient: what is computed from them is not part of the loss",
                parameters=graph.names(kept),
                link=4,
                causes=tuple(
                    s for stack in (sure or list(ends))[:3] for s in graph.sites(stack, "dropped", 1)
                ),
                evidence={"grad_norm": None},
                fix="Use this result in the value that backward() is called on, or take the parameters out of the optimizer.",
            )


def _dead_end(graph: Graph, value: int) -> bool:
    """Whether nothing takes a value that autograd could follow back (a copy made without it is no output)."""
    return graph.trace.values[value].requires_grad and not graph.flow.consumers.get(value)


def _thrown_away(graph: Graph, op: int, value: int) -> bool:
    """Whether a result was a number, such as a loss, or was not even assigned."""
    if math.prod(graph.trace.values[value].shape) == 1:
        return True
    stack = graph.flow.kind(op).stack
    for frame in graph.trace.stacks[stack] if stack >= 0 else ():
        code = graph.trace.frames[frame].code
        if not code.startswith("return"):
            return _bare_call(code)
    return False


def _bare_call(code: str) -> bool:
    """Whether a line is a call and nothing else."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError):
        return False
    return len(body) == 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Call)
