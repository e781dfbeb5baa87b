"""Weights kept by ``state_dict()`` are no copy: they are the live parameters, and go on training.

## What it means
``state_dict()`` returns tensors that share their memory with the model's parameters. Kept as "the best so far", they
change with every optimizer step that follows. Loading them at the end copies each parameter onto itself: what is
evaluated or saved then are the last weights, not the best ones.

## How to recognise it
The score after loading the best weights is that of the last epoch. ``best["fc.weight"].data_ptr()`` equals
``model.fc.weight.data_ptr()``.

## Example
```python
if loss < best:
    best_state = model.state_dict()
...
model.load_state_dict(best_state)
```

## Use instead
```python
if loss < best:
    best_state = copy.deepcopy(model.state_dict())
...
model.load_state_dict(best_state)
```

## Not this rule
A state that is written to disk at once, or copied (``deepcopy``, ``clone``), or loaded into another model at once (a
target network, an average). ``dict(state)``, ``copy.copy`` and, on the CPU, ``.cpu()`` copy nothing.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict
- https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
- https://github.com/pytorch/tutorials/pull/188
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, distinct

_HOW = {"load": "loaded again", "load-other": "loaded", "save": "saved"}


def check(graph: Graph) -> Iterator[Finding]:
    """Snapshots that were used after their parameters had changed, or are going to be."""
    told: set[int] = set()
    for one in graph.trace.learning.snapshots.taken:
        uses = [u for u in one.uses if u.how == "load" or one.looped]
        expected = one.kept and one.looped and bool(one.later) and not one.saved
        if one.stack in told or not (uses or expected):
            continue
        told.add(one.stack)
        where = uses[0].stack if uses else one.later[0]
        steps = uses[0].steps if uses else one.steps
        yield Finding(
            rule="state-dict-alias",
            severity="error" if uses else "warning",
            title="the weights kept by state_dict() are the live ones: they changed with "
            + (
                f"{steps} later updates before they were {_HOW[uses[0].how]}"
                if uses
                else f"{steps} later updates"
            ),
            parameters=_model(graph, one),
            link=10,
            causes=distinct([*graph.sites(one.stack, "snapshot", 1), *graph.sites(where, "restored", 0)]),
            evidence={"updates_since": steps, "used": uses[0].how if uses else None},
            fix="Keep a copy: copy.deepcopy(model.state_dict()).",
        )


def _model(graph: Graph, one: t.Snapshot) -> tuple[str, ...]:
    """All parameters that are held together with those of the snapshot."""
    held = {p for o in graph.trace.optimizers for g in o.groups for p in g.params}
    mine = {
        p
        for o in graph.trace.optimizers
        for g in o.groups
        for p in g.params
        if set(one.params) & set(g.params)
    }
    return graph.names(sorted(mine & held) or list(one.params))
