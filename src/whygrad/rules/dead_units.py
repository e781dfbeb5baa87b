"""Most units of a layer are 0 for every sample: they have died, and get no gradient any more.

## What it means

ReLU hands on no gradient where it is 0. A unit that is 0 for every sample of the batch is not trained by it; if that
stays so it is lost for good. A step that was too large (learning rate, scale of the inputs, weights that start too
large) can switch most of a layer off at once. Where all units of a layer are off, `dead-activation` speaks.

## How to recognise it

``(h <= 0).all(0).float().mean()`` behind the ReLU: the share of the units that are 0 for the whole batch.

## Example

```python
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)     # units die in the first steps
```

## Use instead

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
```

Elsewhere: scale the inputs; start from nn.init.kaiming_uniform_; use LeakyReLU or GELU.

## Not this rule

Sparse layers: up to 90 % of the units may be off here. A batch of fewer than 8 samples tells nothing. It is a symptom:
where another rule names what made the units die, this one is silent.

Of 689 layers of 8 or more units in 396 healthy scripts, 95 of 100 had at most 38 % of the units at 0 for a whole batch (of
8 samples or more) at the end of the observed steps, the worst had 63 %. Reported are 90 % and more in the last two passes.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html
- https://arxiv.org/abs/1903.06733
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.harm import BOUND, flat_units, stepped_by

SYMPTOM = True
_DEAD = 0.9  #: of the units of a layer, in the last passes
_SAMPLES = 8
_UNITS = 8


def check(graph: Graph) -> Iterator[Finding]:
    """Layers most of whose units are 0 for every sample in the last passes."""
    for own in graph.trace.learning.activities:
        if own.name.rstrip("_") in BOUND or len(own.flat) < 3:
            continue
        first, last = flat_units(own)
        if last < _DEAD or own.samples < _SAMPLES or own.units < _UNITS:
            continue
        yield Finding(
            rule="dead-units",
            severity="warning",
            title=f"{round(last * own.units)} of {own.units} units behind {graph.label(own.ops[-1])} are 0 for every sample "
            + (f"(at first {round(first * own.units)})" if first < last else "from the first pass on"),
            parameters=graph.names(_behind(graph, own)),
            link=10,
            causes=distinct(
                [
                    *graph.op_sites(own.ops[-1], "dead", 0),
                    *stepped_by(graph, own.ops[-1]),
                ]
            ),
            evidence={"dead_first": first, "dead_last": last, "units": own.units, "samples": own.samples},
            fix="Lower the learning rate, bring the inputs to unit scale, start the weights with nn.init.kaiming_uniform_, "
            "or use LeakyReLU.",
        )


def _behind(graph: Graph, own: t.Activity) -> list[int]:
    """The parameters of the layer before the activation."""
    op, found = own.ops[-1], list[int]()
    for _ in range(3):
        ins = graph.trace.ops[op].ins
        found = sorted({graph.trace.values[v].param for v in ins} - {-1})
        op = graph.trace.values[ins[0]].op if ins else -1
        if found or op < 0:
            break
    return found
