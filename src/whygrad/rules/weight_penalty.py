"""A penalty on the weights that is written into the loss makes them grow, or crushes them.

## What it means

`loss + 1e-4 * sum(p.pow(2).sum() for p in model.parameters())` is weight decay by hand. With a minus each step makes the
weights larger, the faster the larger they are. With a factor that is too large (the factor for a mean given to a sum) its
gradient, `2 * factor * p`, is larger than that of the data: all weight matrices go to zero whatever the data say, and the
model ends with one answer for every input.

## How to recognise it

Print the two parts of the loss apart. The norms of all weight matrices rise, or fall by an even share from step to step.

## Example

```python
l2 = sum(p.pow(2).sum() for p in model.parameters())
loss = criterion(model(x), y) - 1e-3 * l2
```

## Use instead

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
loss = criterion(model(x), y)
```

## Not this rule

Penalties on activations, gradients or differences of weights; a factor that is a tensor (whygrad follows sums, and products with
numbers); a loss that is scaled by a GradScaler; a minus before the norm of a few parameters, as opposed to most weight
matrices of the model. For what is too large the limits are those of `weight-decay-dominates`, measured there: the penalty's
gradient is more than 1.5 times the rest in the median weight matrix, all of them go straight towards zero, and a third is
left within 2000 steps at the last pace. In healthy trainings with a penalty by hand (of the tests; 1e-5 to 1e-3 times the
sum of squares, 1e-5 of absolute values) it was at most 0.03 of the rest.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
- https://en.wikipedia.org/wiki/Ridge_regression
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct
from whygrad.graph.penalties import Penalty, penalties
from whygrad.graph.shrinking import crushed, shrinking

_MOST = 0.5  #: of the elements of the weight matrices that an optimizer holds
_SOON = 500  #: steps to a third of the weights


def check(graph: Graph) -> Iterator[Finding]:
    """Optimizers most of whose weight matrices have a penalty in the loss, of the wrong sign or too large."""
    passes = [i for i, b in enumerate(graph.trace.backwards) if b.kind == "backward" and not b.raised]
    if len(passes) < 2:
        return
    found = penalties(graph, passes[-1])
    for index, optimizer in enumerate(graph.trace.optimizers):
        groups = optimizer.groups
        held = {p for g in groups for p in g.params if len(graph.trace.params[p].shape) > 1}
        own = {one.param: one for one in found if one.param in held}
        covered = graph.numel(own) > _MOST * graph.numel(held) if held else False
        if not covered or any(g.options.get("maximize") for g in groups):
            continue
        wrong = [one for one in own.values() if one.factor < 0]
        if wrong:
            yield _climbing(graph, wrong)
            continue
        shrunk = [s for g in groups for s in shrinking(graph, index, g, own)]
        if shrunk and len(shrunk) == len(own) and crushed(shrunk):
            steps = statistics.median([s.steps for s in shrunk])
            excess = statistics.median([s.excess for s in shrunk])
            times = f"{excess:.2g} times" if excess < 100 else "over 100 times"
            yield Finding(
                rule="weight-penalty",
                severity="error" if steps < _SOON else "warning",
                title=f"the penalty on the weights in the loss pulls {times} as hard as the rest of it: {len(shrunk)} "
                "weight matrices shrink towards zero",
                parameters=graph.names(own),
                link=10,
                causes=_places(graph, list(own.values())),
                evidence={
                    "factor": max(one.factor for one in own.values()),
                    "penalty_over_gradient": excess,
                    "steps_to_a_third": steps,
                },
                fix="Give the penalty a factor of 1e-5 to 1e-3 (of the sum of squares), or leave it to weight_decay.",
            )


def _climbing(graph: Graph, wrong: list[Penalty]) -> Finding:
    rows = [graph.updates.rows.get(one.param, []) for one in wrong]
    before = math.sqrt(sum(own[0][1].norm ** 2 for own in rows if own))
    after = math.sqrt(sum(own[-1][1].norm ** 2 for own in rows if own))
    return Finding(
        rule="weight-penalty",
        severity="warning",
        title=f"the penalty on {len(wrong)} weight matrices enters the loss with a minus: each step makes the weights larger",
        parameters=graph.names(one.param for one in wrong),
        link=10,
        causes=_places(graph, wrong),
        evidence={"factor": wrong[0].factor, "norm_first": before, "norm_last": after},
        fix="Add the penalty to the loss, or use the optimizer's weight_decay.",
    )


def _places(graph: Graph, found: list[Penalty]) -> tuple[Site, ...]:
    """Where the sign was turned, where it is joined to the loss, and where the squares are taken."""
    one = found[0]
    turned = graph.op_sites(one.turned, "sign turned", 0) if one.turned >= 0 else ()
    joined = graph.op_sites(one.joined, "joined to the loss", 0) if one.joined >= 0 else ()
    return distinct([*turned, *joined, *graph.op_sites(one.op, "penalty", 1)])[:3]
