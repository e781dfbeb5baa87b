"""What the steps learned is overwritten again: the weights keep going back to where they began.

## What it means
Something in the training loop writes the parameters as a whole: a checkpoint loaded in every epoch, an averaged or stored
copy put in place and never taken out, ``reset_parameters`` or an initialisation in a method that runs once an epoch. Each
time, what the optimizer did in between is lost; its moments go on as if nothing had happened.

## How to recognise it
The loss falls within an epoch and starts at the same height in the next one. A parameter has, bit for bit, a value that
it had many steps before.

## Example
```python
for epoch in range(epochs):
    model.load_state_dict(torch.load("pretrained.pt"))
    train_one_epoch(model)
```

## Use instead
```python
model.load_state_dict(torch.load("pretrained.pt"))
for epoch in range(epochs):
    train_one_epoch(model)
```

## Not this rule
Restoring the best weights once, cross-validation with a new optimizer for every fold, Lookahead, Reptile, clamping,
averages that are kept in a model of their own.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
- https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group

EXPLAINS = ("symmetric-initialisation",)


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters that went back to an earlier value, or were drawn anew, again and again, and what wrote them."""
    updates = graph.updates
    found = [(updates.overwrites(i)[-1][1], i) for i in graph.sick(9) if updates.overwritten(i)]
    for place, indices in group(found):
        times, steps = len(updates.overwrites(indices[0])), len(updates.rows[indices[0]])
        returns = len(updates.resets(indices[0]))
        yield Finding(
            rule="weights-overwritten",
            severity="error",
            title=f"{graph.count(indices)} "
            + ("went back to an earlier value, bit for bit," if returns else "were initialised anew")
            + f" {times} times in {steps} steps",
            parameters=graph.names(indices),
            link=9,
            causes=graph.sites(place, "overwritten", 2),
            evidence={"overwritten": times, "returns": returns, "steps": steps},
            fix="Load or initialise the weights once, before the loop.",
        )
