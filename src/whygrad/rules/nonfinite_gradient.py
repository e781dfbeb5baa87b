"""The gradient becomes NaN or infinite on its way back.

## What it means

One operation got a finite gradient and handed on NaN or infinity: the root of 0, a division by 0, the logarithm of 0.
The loss may be finite: an element that a mask, `torch.where` or `nan_to_num` leaves out afterwards has the gradient 0,
and 0 times infinity is NaN. A GradScaler then skips the step without a word, and so does a loop that looks at the
norm; any other step writes NaN into the weights.

## How to recognise it

`parameter.grad` holds NaN while the printed loss does not; the scale of the GradScaler falls at every iteration. Where
the forward pass itself made the first non-finite number, that operation is named first.

## Example

```python
error = (prediction - target) ** 2                  # the target has NaN where it is not known
loss = error[~torch.isnan(target)].mean()
distance = ((a - b) ** 2).sum(-1).sqrt()             # a == b: the derivative of the root is infinite
```

## Use instead

```python
known = ~torch.isnan(target)
loss = ((prediction[known] - target[known]) ** 2).mean()
distance = (((a - b) ** 2).sum(-1) + 1e-12).sqrt()
```

## Not this rule

A GradScaler that skips its first steps until it has found its scale. A batch that is left out now and then.

## References

- https://github.com/pytorch/pytorch/issues/64305
- https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions
- https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, held_back, vanished
from whygrad.graph.finite import first_nonfinite, spoilt_by
from whygrad.graph.operands import nonfinite_makers
from whygrad.graph.overstepping import overstep


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose gradient is not finite, with the operation whose derivative made it so."""
    first = first_nonfinite(graph)
    if first is not None and spoilt_by(graph, first):
        return  # the loss itself was not finite: another rule tells where that began
    if overstep(graph) is not None:
        return  # the optimizer made the weights so, out of finite gradients
    for group in vanished(graph, "nonfinite"):
        ops = [one.op for one in group.losses if one.op >= 0]
        looked = [nonfinite_makers(graph, op) for op in ops]
        makers = list(dict.fromkeys(m for found, _ in looked for m in found))
        made = [s for op in makers for s in graph.op_sites(op, "first not finite")]
        given = [s for _, outside in looked for v in outside for s in _origin(graph, v)]
        lost = [s for op in ops for s in graph.op_sites(op, "gradient not finite")]
        skipped = sum(1 for s in graph.trace.steps if s.skipped)
        own = {o for i in group.params for o, _ in graph.updates.holders.get(i, ())}
        waiting = [i for number in own for i in held_back(graph).get(number, ())]
        what = f"the derivative of {graph.label(ops[0])}" if ops else group.losses[0].name
        if makers and makers != ops:
            what += f", which was given what {graph.label(makers[0])} had made of finite numbers"
        yield Finding(
            rule="nonfinite-gradient",
            severity="error",
            title=f"{graph.count(group.params)} get NaN or infinite gradients, from {what}"
            + (f"; GradScaler skipped {skipped} steps for it" if skipped else "")
            + ("; the others wait for a step with them" if waiting else ""),
            parameters=graph.names([*group.params, *waiting]),
            link=6,
            causes=distinct([*made, *lost, *given]),
            path=graph.path(group.params[0], ops[0]) if ops else (),
            evidence={
                "arrives": graph.gradients.arriving(group.losses[0]),
                "grad_norm": None,
                "skipped_steps": skipped,
            },
            fix="Select the valid elements before this operation, not after it: a mask applied later still multiplies "
            "0 by NaN in the backward pass."
            if makers or given
            else "Keep the argument away from the point where the derivative is infinite: add a small epsilon under "
            "sqrt, log or division, or clamp first.",
        )


def _origin(graph: Graph, value: t.Value) -> list[Site]:
    """Where a value that was not finite had been made, or come in from outside."""
    stacks = dict.fromkeys([value.created, *reversed(value.imports)])
    return [s for stack in stacks for s in graph.sites(stack, "made not finite", 0)]
