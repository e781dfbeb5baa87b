"""Most units behind a sigmoid or tanh sit at its bounds for every sample: hardly any gradient passes.

## What it means

At 0.997 a sigmoid hands on 0.003 of the gradient, at 0.9999 nothing to speak of. Units that are there for all samples do
not tell them apart, and training can't bring them back. Inputs that are far too large, weights that start too large, or
a step that was too large do that.

## How to recognise it

``((h - 0.5).abs() > 0.495).all(0).float().mean()`` behind the sigmoid; the gradient before it is a thousandth of the one
behind it.

## Example

```python
nn.init.normal_(layer.weight, std=10.0)
h = torch.tanh(layer(x))
```

## Use instead

```python
nn.init.xavier_uniform_(layer.weight)
h = torch.tanh(layer(x))
```

## Not this rule

Gates and probabilities that are sure of themselves for some samples. It is a symptom: where another rule names what drove
the units there, this one is silent.

Of 205 layers of 8 or more units in 94 healthy scripts one (whose inputs were far too large) had 38 % of its units at a bound
for the whole batch, all others none. Reported are 80 % and more, in the last two passes.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Sigmoid.html
- https://proceedings.mlr.press/v9/glorot10a.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.harm import BOUND, flat_units, stepped_by

SYMPTOM = True
_SATURATED = 0.8  #: of the units of a layer, in the last passes
_SAMPLES = 8
_UNITS = 8


def check(graph: Graph) -> Iterator[Finding]:
    """Layers most of whose units are at a bound for every sample in the last passes."""
    for own in graph.trace.learning.activities:
        if own.name.rstrip("_") not in BOUND or len(own.flat) < 3:
            continue
        first, last = flat_units(own)
        if last < _SATURATED or own.samples < _SAMPLES or own.units < _UNITS:
            continue
        made = [graph.trace.values[v].op for v in graph.trace.ops[own.ops[-1]].ins]
        layer = {graph.trace.values[v].param for op in made if op >= 0 for v in graph.trace.ops[op].ins} - {
            -1
        }
        yield Finding(
            rule="saturated-units",
            severity="warning",
            title=f"{round(last * own.units)} of {own.units} units behind {graph.label(own.ops[-1])} are saturated for every "
            "sample"
            + (f" (at first {round(first * own.units)})" if first < last else " from the first pass on"),
            parameters=graph.names(layer),
            link=10,
            causes=distinct(
                [
                    *graph.op_sites(own.ops[-1], "saturated", 0),
                    *(
                        s
                        for i in sorted(layer)
                        for s in graph.sites(graph.trace.params[i].written, "initialised", 0)
                    ),
                    *stepped_by(graph, own.ops[-1]),
                ]
            )[:3],
            evidence={"saturated_first": first, "saturated_last": last, "units": own.units},
            fix="Bring the inputs to unit scale, start the weights with nn.init.xavier_uniform_, lower the learning rate.",
        )
