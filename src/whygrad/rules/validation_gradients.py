"""A validation pass runs backward, and what it leaves in `.grad` goes into the next step: the model trains on held-out data.

## What it means

`backward` adds to `.grad`, whatever the mode of the model. Where one function serves for training and validation and only
`step` depends on the phase, or where the gradients are cleared after the step instead of before the backward pass, the
gradients of the validation batches wait there and are used by the first training step that follows. The validation
loss is then no measure of what the model does on data that it has not seen.

## How to recognise it

The first step of an epoch is far larger than the others. `.grad` is not None after a validation pass.

## Example

```python
model.eval()
for x, y in val_loader:
    loss = criterion(model(x), y)
    loss.backward()
model.train()
for x, y in loader:
    criterion(model(x), y).backward()
    optimizer.step()
    optimizer.zero_grad()
```

## Use instead

```python
model.eval()
with torch.no_grad():
    for x, y in val_loader:
        total += criterion(model(x), y).item()
```

## Not this rule

Gradients of an evaluation that are cleared before they are used (adversarial examples, saliency). Training that runs in
evaluation mode as a whole, or in both modes in every step, as in the adaptation to another domain: reported are gradients
of passes in evaluation mode that went into fewer than half of the steps, with others in training mode.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
- https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct
from whygrad.graph.deposits import HAND, Use

_SHARE = 0.5  #: of the steps: what goes into more of them is a part of the training


def check(graph: Graph) -> Iterator[Finding]:
    """Steps that used gradients of passes in evaluation mode beside those in training mode."""
    ticks = set(graph.trace.learning.evaluating)
    judging = {i for i, b in enumerate(graph.trace.backwards) if b.tick in ticks}
    for optimizer, used in graph.deposits.by_optimizer() if judging else ():
        mixed = {p: found for p, uses in used.items() if (found := _mixed(uses, judging))}
        if optimizer == HAND or not mixed:
            continue
        most = max(mixed, key=lambda p: len(mixed[p]))
        last, steps = mixed[most][-1], len(used[most])
        foreign = [b for b in last.passes if b in judging]
        yield Finding(
            rule="validation-gradients",
            severity="error",
            title=f"{graph.count(mixed)}: {len(mixed[most])} of {steps} steps used gradients of {len(foreign)} passes that ran "
            "backward in evaluation mode",
            parameters=graph.names(mixed),
            link=10,
            causes=distinct(
                [
                    *graph.sites(graph.trace.backwards[foreign[-1]].stack, "backward in evaluation", 1),
                    *graph.sites(last.stack, "step", 0),
                ]
            )[:3],
            evidence={
                "steps": steps,
                "steps_with_validation": len(mixed[most]),
                "grad_norm": last.norm,
                "validation_grad_norm": graph.deposits.own(most, foreign[-1]),
            },
            fix="Evaluate under torch.no_grad(), without backward; and clear the gradients before each training pass.",
        )


def _mixed(uses: list[Use], judging: set[int]) -> list[Use]:
    """The uses that held passes of both kinds, unless that is how most of the training goes."""
    found = [u for u in uses if judging.intersection(u.passes) and not judging.issuperset(u.passes)]
    return found if len(found) < max(2.0, _SHARE * len(uses)) else []
