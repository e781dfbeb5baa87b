"""The gradient becomes smaller from layer to layer: the first layers of a deep model get next to none.

## What it means

On its way back the gradient is multiplied by every weight and by the slope of every activation. A sigmoid's slope is 0.25
at most, so ten of them leave a millionth; weights that start too small do the same with any activation. The last layers
learn, the first ones stay at their random start.

## How to recognise it

The norms of the gradients, layer by layer, fall by an even factor towards the input.

## Example

```python
layers = [m for _ in range(10) for m in (nn.Linear(64, 64), nn.Sigmoid())]
```

## Use instead

```python
layers = [m for _ in range(10) for m in (nn.Linear(64, 64), nn.LayerNorm(64), nn.ReLU())]
x = x + block(x)                                    # residual connections
nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
```

## Not this rule

A gradient of exactly 0 (`zero-gradient`, `dead-activation`, `zero-weights`). First layers that get ten or a hundred times
less. It is a symptom: where another rule names what makes the gradient small, this one is silent.

In 108 healthy trainings (4 to 10 layers in a row: fully connected and convolutional ones with ReLU, GELU or tanh, with and
without normalisation and residuals, transformers, the models of the tests) the first third of the layers got 0.0006 to 2.4
times the gradient of the last third (root mean square of the elements), in 19 of 20 at least 0.003. Reported is less than
1e-5; in the faulty scripts of the tests it was 2e-7 and less.

## References

- https://proceedings.mlr.press/v9/glorot10a.html
- https://docs.pytorch.org/docs/stable/nn.init.html
- https://en.wikipedia.org/wiki/Vanishing_gradient_problem
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.depth import chains

SYMPTOM = True
_LEFT = 1e-5  #: of the gradient of the last layers


def check(graph: Graph) -> Iterator[Finding]:
    """Chains of layers the first of which get next to no gradient."""
    for own in chains(graph):
        left = own.fall()
        if left >= _LEFT or not own.steady(down=True):
            continue
        turn = own.turn(1e-2)
        small = [p for p, n in zip(own.params, own.norms, strict=True) if n <= 1e-3 * own.norms[-1]]
        named = graph.trace.params[own.params[turn]].fqn
        yield Finding(
            rule="gradient-vanishes-with-depth",
            severity="warning",
            title=f"{graph.count(small)} get next to no gradient: the first of {len(own.params)} layers get {left:.1g} of what the "
            f"last ones get; from {named} on it is under a hundredth",
            parameters=graph.names(small),
            link=10,
            causes=distinct(
                [
                    *graph.op_sites(own.ops[turn], "vanishes", 1),
                    *graph.sites(graph.trace.params[own.params[0]].created, "created", 0),
                ]
            ),
            evidence={"first_over_last": left, "layers": len(own.params), "from": named},
            fix="Use ReLU or GELU instead of sigmoid and tanh, nn.init.kaiming_normal_ (xavier for tanh), normalisation layers or "
            "residual connections.",
        )
