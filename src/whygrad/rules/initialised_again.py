"""Weights that had been loaded or trained are filled with random numbers again.

## What it means

An initialisation belongs before what it must not destroy. `model.apply(init_weights)` after `load_state_dict` throws the
pretrained weights away, as does a constructor that loads and then initialises all modules; an embedding made of given
vectors is overwritten by the same call. In the middle of a training it throws away what the steps have learned, while the
moments of the optimizer go on as if nothing had happened.

## How to recognise it

A pretrained model starts with the loss of a random one. The loss jumps back to its first height.

## Example

```python
model.load_state_dict(torch.load("pretrained.pt"))
model.apply(init_weights)
```

## Use instead

```python
model.apply(init_weights)
model.load_state_dict(torch.load("pretrained.pt"))
```

## Not this rule

A model that is initialised twice before it trains: nothing is lost by that. A new head, or the last layers, of a model that was
loaded: reported is a loaded model more than half of whose weight matrices are drawn anew, the first one among them. Weights
that are written to again and again (`weights-overwritten`); another run with a new optimizer; a few units, or a part of the
layers, that are reset in the course of the training.

## References

- https://docs.pytorch.org/docs/stable/nn.init.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.apply
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct

_RANDOM = ("uniform_", "normal_", "orthogonal_")
_MOST = 0.5  #: of the weight matrices that were loaded
_ALL = 0.9  #: of those that an optimizer holds, in the middle of the training


def check(graph: Graph) -> Iterator[Finding]:
    """Loaded states that were drawn anew before training; optimizers whose weights were, once, in its course."""
    for load in graph.trace.learning.restored:
        matrices = [i for i in load.loaded if len(graph.trace.params[i].shape) > 1]
        drawn = {i: stack for i in matrices if (stack := _drawn_at(graph, load, i)) is not None}
        if not load.informative or not drawn or _again_loaded(graph, load):
            continue
        if len(drawn) <= _MOST * len(matrices) or matrices[0] not in drawn:
            continue
        stack = next(iter(drawn.values()))
        yield Finding(
            rule="initialised-again",
            severity="error",
            title=f"{graph.count(drawn)} were filled with random numbers after their values had been loaded",
            parameters=graph.names(drawn),
            link=10,
            causes=distinct([*graph.sites(stack, "initialised", 1), *graph.sites(load.stack, "loaded", 0)])[
                :3
            ],
            evidence={"loaded": len(matrices), "drawn_anew": len(drawn)},
            fix="Initialise first, and load afterwards.",
        )
    yield from _in_training(graph)


def _drawn_at(graph: Graph, load: t.Restored, param: int) -> int | None:
    """Where a loaded parameter was filled with random numbers before a step could use what had been loaded."""
    before = dict(load.redrawn).get(param)
    if before is not None or not load.passes:
        return before
    steps = [graph.trace.steps[n].tick for n, _ in graph.updates.rows.get(param, ())]
    first = min((tick for tick in steps if tick > load.tick), default=math.inf)
    writes = [e for e in graph.updates.touching("write", param) if load.tick < e.tick < first]
    return next((e.stack for e in writes if str(e.data.get("op")).endswith(_RANDOM)), None)


def _again_loaded(graph: Graph, load: t.Restored) -> bool:
    """Whether a later state brought these parameters, so that what became of this one does not matter."""
    later = [o for o in graph.trace.learning.restored if o.tick > load.tick and o.informative]
    return any(set(load.loaded) <= set(o.loaded) for o in later)


def _in_training(graph: Graph) -> Iterator[Finding]:
    updates = graph.updates
    for optimizer in graph.trace.optimizers:
        held = [p for g in optimizer.groups for p in g.params if len(graph.trace.params[p].shape) > 1]
        once = {
            p: places[0]
            for p in held
            if len(places := updates.overwrites(p)) == 1 and not updates.overwritten(p)
        }
        drawn = {p: place for p, place in once.items() if not updates.resets(p)}
        steps = {step for step, _ in drawn.values()}
        if not drawn or len(drawn) < _ALL * len(held) or len(steps) > 1:
            continue
        step, place = next(iter(drawn.values()))
        yield Finding(
            rule="initialised-again",
            severity="warning",
            title=f"{graph.count(drawn)} were filled with random numbers after {step} steps: what these had learned is lost",
            parameters=graph.names(drawn),
            link=10,
            causes=graph.sites(place, "initialised", 2),
            evidence={"steps_before": step, "steps": len(graph.trace.steps)},
            fix="Initialise the weights once, before the first step; for another run make the optimizer anew as well.",
        )
