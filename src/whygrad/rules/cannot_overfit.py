"""The model does not memorise one batch, however often it is shown.

## What it means
``whygrad run --overfit`` repeats the first batch. A model that can learn at all memorises it within some hundred steps:
its loss falls far below that of an answer that ignores the input (the entropy of the labels, the variance of the
targets). This one's does not, though gradients flow. Something stands between the input and the loss that no amount of
data will mend: a learning rate far too small or too large, inputs that are all alike, an output that cannot take the
values of the targets, targets that do not belong to their inputs.

## How to recognise it
The loss stays at a plateau, often at ``ln(C)`` for ``C`` classes: every class is equally likely, whatever the input.

## Example
```python
x = (x - x.mean()) / x.std() * mask  # mask is 0 everywhere: the model sees nothing
loss = F.cross_entropy(model(x), y)
```

## Use instead
```python
x = (x - x.mean()) / x.std()
loss = F.cross_entropy(model(x), y)
```

## Not this rule
A loss that still falls and only needs more steps (``--steps``); a loss that random numbers (dropout, noise) keep from
falling to the bottom; two networks trained against each other. A parameter that does not train has a finding of its own.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
- https://karpathy.github.io/2019/04/25/recipe/
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.graph.memorising import Memorising, memorising

_HARDLY = 0.01  #: a module that moved by less of its own size over the whole run


def check(graph: Graph) -> Iterator[Finding]:
    """The outcome of a run of ``--overfit`` that did not memorise its batch."""
    run = memorising(graph)
    if run is None or run.outcome in ("memorised", "unknown"):
        return
    stack = max(run.calls, key=lambda call: call.weight).stack if run.calls else run.place
    yield Finding(
        rule="cannot-overfit",
        severity="warning" if run.outcome in ("stuck", "diverged") else "note",
        title=f"The model does not memorise one batch: {run.went()}",
        link=10,
        causes=graph.sites(stack, "loss", 1),
        evidence={
            "loss_at_start": run.start,
            "loss_at_end": run.end,
            "constant_guess": run.guess,
            "share_right": run.right,
            "moved_least": dict(list(run.modules.items())[:3]),
        },
        fix=_advice(graph, run),
    )


def _advice(graph: Graph, run: Memorising) -> str:
    """Where to look, by what moved."""
    if run.outcome == "falling":
        return f"Give it more steps: --steps {run.steps + (run.more or 0)}."
    if run.outcome == "diverged":
        return "Lower the learning rate, or clip the gradients; look where the first nan comes from."
    broken = graph.sick(*range(1, 10))
    if broken:
        return f"{graph.count(broken)} do not train: begin with that."
    still = [name for name, share in run.modules.items() if share < _HARDLY]
    if still and len(still) == len(run.modules):
        most = max(run.modules.values())
        return f"No module moved by more than {most:.2%} of its own size: raise the learning rate."
    if still:
        names = ", ".join(still[:3])
        return f"These modules hardly moved: {names}. Look at what reaches them, and at their learning rate."
    if run.outcome == "partly":
        return (
            "Switch off dropout and other random numbers (model.eval() for the forward pass), and try again."
        )
    return (
        "Every module moved, so look at what enters and leaves the model: inputs that are all alike, targets of other "
        "samples, an output whose range or shape does not fit the targets, a learning rate too large."
    )
