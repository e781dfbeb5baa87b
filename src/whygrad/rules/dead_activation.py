"""An activation is flat for every input it gets.

## What it means

ReLU is 0 for every negative input, `clamp` outside its limits; sigmoid and tanh are exactly 0 or 1 in float32 once
their input is large enough. Where this is so for the whole batch, in every pass, nothing before the activation gets
a gradient, and nothing will bring it back.

## How to recognise it

The output is the same constant for all inputs, the loss does not move, and the gradients before it are exact zeros.

## Example

```python
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.ReLU())     # the targets may be negative
```

## Use instead

```python
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
```

Elsewhere: scale the inputs, look at large biases and learning rates, use `softplus` or `LeakyReLU`; clamp after the
loss has been computed, not before.

## Not this rule

Some dead units among others that are alive, and losses with a margin that are satisfied in some batches.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Softplus.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, vanished
from whygrad.graph.operands import probes
from whygrad.graph.scales import harmed

EXPLAINS = ("bounded-output",)


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters behind a ReLU that is off, or a sigmoid, tanh or clamp that is saturated, for the whole batch."""
    for group in vanished(graph, "gate"):
        loss = group.losses[0]
        name = graph.label(loss.op) if loss.op >= 0 else loss.name
        seen = [o for look in probes(graph, loss.op) for o in look.operands if o.place == "in"][:1]
        span = f" (its input lies between {seen[0].low:.3g} and {seen[0].high:.3g})" if seen else ""
        yield Finding(
            rule="dead-activation",
            # where the inputs are far too large, another rule tells what has switched it off
            severity="note" if harmed(graph) else "error",
            title=f"{graph.count(group.params)} get a gradient of exactly zero: {name} is flat for every input{span}",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct(
                [s for one in group.losses if one.op >= 0 for s in graph.op_sites(one.op, "zeroed")]
            ),
            path=graph.path(group.params[0], loss.op) if loss.op >= 0 else (),
            evidence={
                "grad_norm": 0.0,
                "arrives": graph.gradients.arriving(loss),
                "input_low": seen[0].low if seen else None,
                "input_high": seen[0].high if seen else None,
            },
            fix=f"Leave {name} out at the output of a regression, or use one that is never flat (softplus, LeakyReLU); "
            "bring its input back into the sloped range (initialisation, scale of the inputs).",
        )
