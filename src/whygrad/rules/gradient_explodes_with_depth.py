"""The gradient grows from layer to layer: the first layers of a deep model get thousands of times too much.

## What it means

On its way back the gradient is multiplied by every weight. Weights that start too large (``normal_(std=1)`` over 256
inputs: a factor of 16 a layer) let it grow without bound, and so do the activations on their way forward. Every step is
then thrown by the first layers.

## How to recognise it

The norms of the gradients, layer by layer, grow by an even factor towards the input; the loss is huge or NaN.

## Example

```python
nn.init.normal_(layer.weight, std=1.0)
```

## Use instead

```python
nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
```

## Not this rule

First layers whose gradient is ten or a hundred times that of the last one. It is a symptom: where another rule names what
makes it grow, this one is silent.

In 108 healthy trainings (see `gradient-vanishes-with-depth`) the first third of the layers got at most 2.4 times the
gradient of the last third (root mean square of the elements, four layers or more in a row). Reported is more than 1e4; in
the faulty scripts of the tests it was 6e4 to 4e5.

## References

- https://proceedings.mlr.press/v9/glorot10a.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.depth import chains

SYMPTOM = True
_GROWN = 1e4  #: times the gradient of the last layers


def check(graph: Graph) -> Iterator[Finding]:
    """Chains of layers the first of which get far more gradient than the last."""
    for own in chains(graph):
        grown = own.fall()
        if grown <= _GROWN or not own.steady(down=False):
            continue
        turn = own.turn(1e2)
        large = [p for p, n in zip(own.params, own.norms, strict=True) if n >= 1e2 * own.norms[-1]]
        first = graph.trace.params[own.params[0]]
        named = graph.trace.params[own.params[turn]].fqn
        yield Finding(
            rule="gradient-explodes-with-depth",
            severity="warning",
            title=f"{graph.count(large)} get an exploding gradient: the first of {len(own.params)} layers get {grown:.1g} times what "
            f"the last ones get; from {named} on it is over a hundred times",
            parameters=graph.names(large),
            link=10,
            causes=distinct(
                [
                    *graph.sites(first.written, "initialised", 0),
                    *graph.op_sites(own.ops[turn], "explodes", 1),
                    *graph.sites(first.created, "created", 0),
                ]
            )[:3],
            evidence={"first_over_last": grown, "layers": len(own.params), "from": named},
            fix="Start the weights with nn.init.kaiming_normal_ (a deviation of about 1/sqrt(inputs)), add normalisation layers, "
            "and clip the gradients.",
        )
