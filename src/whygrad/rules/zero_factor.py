"""The value is multiplied by zeros, or nothing of it is selected.

## What it means

The gradient arrives at a product and is multiplied by the other factor, which was zero throughout whenever it was
looked at: a mask the wrong way round, a loss weight that never leaves 0, advantages of rewards that are all equal. An
index or a mask that selects nothing, and labels that are all to be ignored, come to the same.

## How to recognise it

`parameter.grad` is all zeros; the printed loss is 0, or does not depend on the model.

## Example

```python
mask = (tokens == PAD).float()                    # 1 where there is nothing to learn
loss = (each * mask).sum() / mask.sum().clamp(min=1)
```

## Use instead

```python
mask = (tokens != PAD).float()
loss = (each * mask).sum() / mask.sum().clamp(min=1)
```

For rewards: print them. A comparison that never holds, or a group of one, makes every advantage 0.

## Not this rule

Factors that are zero in some steps: a mask for a rare class, a warm-up that starts at 0. A weight applied to an
initial state of zeros. A layer that was given no rows at all: an expert that no token was sent to.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html (weight, ignore_index)
- https://github.com/modelscope/ms-swift/issues/4570
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, Loss, Vanished, distinct, vanished
from whygrad.graph.operands import nothing_selected, zero_number, zero_operands
from whygrad.graph.targets import ignored_throughout


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose gradient is multiplied by a factor that was zero throughout at every look, or none of whose
    results were selected for the loss."""
    ignored = {look.stack for looks in ignored_throughout(graph) for look in looks}
    for group in vanished(graph, "zero-factor"):
        loss = group.losses[0]
        if loss.op >= 0 and loss.name.startswith("NllLoss") and graph.flow.kind(loss.op).stack in ignored:
            continue  # another rule tells of the targets
        choice = nothing_selected(graph, loss)
        number = zero_number(graph, loss.op)
        factors = choice if choice is not None else [v for v in zero_operands(graph, loss.op) if v >= 0]
        values = [graph.trace.values[v] for v in factors]
        own = [f for f in values if f.param < 0 and not f.requires_grad]
        if not own and not number and choice is None and all(f.param < 0 for f in values):
            continue  # zeros computed by the model itself: the layer before is to blame, not this product
        origin = [
            s
            for factor in own
            for stack in (factor.created, *reversed(factor.imports))
            for s in graph.sites(stack, "factor made", 1)
        ]
        yield Finding(
            rule="zero-factor",
            severity="note" if _nothing_to_learn(graph, group, choice is not None) else "error",
            title=f"{graph.count(group.params)} get a gradient of exactly zero: {_what(graph, loss, choice is not None)}",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct(
                [*origin, *(s for one in group.losses for s in graph.op_sites(one.op, "zeroed"))]
            ),
            path=graph.path(group.params[0], loss.op),
            evidence={
                "grad_norm": 0.0,
                "arrives": graph.gradients.arriving(loss),
                "zero_factors": len(values),
            },
            fix="Look at where this factor is computed: a mask that selects nothing, a weight of 0, rewards or "
            "advantages that are all equal.",
        )


def _what(graph: Graph, loss: Loss, choice: bool) -> str:
    name = graph.label(loss.op)
    if choice:
        return f"nothing of what {name} is given is selected"
    return f"{name} multiplies it by " + ("0" if zero_number(graph, loss.op) else "zeros")


def _nothing_to_learn(graph: Graph, group: Vanished, choice: bool) -> bool:
    return _given_no_rows(graph, group) if choice else _state(graph, group.losses[0])


def _given_no_rows(graph: Graph, group: Vanished) -> bool:
    """Whether a layer was applied to an empty tensor wherever its gradient was lost: an expert to which no token was sent
    is idle, and what sends them may choose it later."""
    trace, flow = graph.trace, graph.flow
    history = set().union(*(flow.loss_histories[loss.backward] for loss in group.losses))
    uses = [op for p in group.params for op in flow.uses(p) if history.intersection(trace.ops[op].outs)]
    return bool(uses) and all(any(0 in trace.values[v].shape for v in trace.ops[op].ins) for op in uses)


def _state(graph: Graph, loss: Loss) -> bool:
    """Whether a layer was applied to zeros that were made as zeros (an initial state): its weight has nothing to learn
    from them, and nobody is to blame."""
    trace = graph.trace
    layer = any(trace.values[v].param >= 0 for v in trace.ops[loss.op].ins)
    made = [trace.values[v].origin for v in zero_operands(graph, loss.op) if v >= 0]
    return layer and bool(made) and all(o & t.ZEROS and not o & ~(t.ZEROS | t.CONSTANT) for o in made)
