"""Backward runs again and again, and the optimizer never steps.

## What it means
``backward`` only fills ``.grad``. Without ``optimizer.step()`` nothing changes: the call is missing (``scheduler.step()``
does not replace it), is written without its parentheses, stands behind a ``return``, or behind a condition that never
holds. For gradient accumulation this is often a counter that starts anew in epochs shorter than the accumulation, or
``if step % n:`` where ``if step % n == 0:`` was meant.

## How to recognise it
The loss does not fall at all, and the gradients grow from pass to pass if nothing clears them.

## Example
```python
for i, (x, y) in enumerate(loader):
    loss_fn(model(x), y).backward()
    if i % accumulate:
        optimizer.step()
```

## Use instead
```python
for i, (x, y) in enumerate(loader, start=1):
    loss_fn(model(x), y).backward()
    if i % accumulate == 0 or i == len(loader):
        optimizer.step()
        optimizer.zero_grad()
```

## Not this rule
Long accumulation that does step, an optimizer that steps more rarely than another one, optimizers built and not used
whose parameters another one trains. Steps that a GradScaler leaves out are ``nonfinite-gradient``.

## References
- https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step
- https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group, held_back


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters with gradients whose optimizer took no step, with the step() that stands in the source, if any."""
    trace = graph.trace
    waiting = [i for i in graph.sick(7, 8) if i in graph.updates.holders and not graph.updates.rows.get(i)]
    innocent = {i for own in held_back(graph).values() for i in own}
    waiting = [i for i in waiting if not graph.skipped(i) and not graph.stale(i) and i not in innocent]
    for number, indices in group((graph.updates.holders[i][0][0], i) for i in waiting):
        optimizer = trace.optimizers[number]
        if optimizer.steps:
            continue
        missed = [u for u in trace.unreached if u.optimizer == number]
        passes = len(trace.backwards)
        places = [graph.site(u.guard, "condition") for u in missed if u.guard >= 0]
        places += [graph.site(u.step, "never runs") for u in missed]
        if not missed:
            scheduled = [e for e in graph.updates.events.get("scheduler-step", ()) if e.optimizer == number]
            places += [s for e in scheduled[-1:] for s in graph.sites(e.stack, "schedule", 0)]
            places += graph.sites(trace.backwards[-1].stack, "backward", 1)
        guard = next((u.text for u in missed if u.text), "")
        yield Finding(
            rule="step-never-called",
            severity="error",
            title=f"{graph.count(indices)} get gradients, but {optimizer.name or optimizer.kind}.step() never ran "
            f"in {passes} backward passes" + (f": `{guard}` was never true" if guard else ""),
            parameters=graph.names(indices),
            link=7 if guard else 8,
            causes=distinct([*places, *graph.sites(optimizer.created, "optimizer", 0)]),
            evidence={
                "backward_passes": passes,
                "steps": 0,
                "grad_norm": graph.gradients.of[indices[0]][-1][1].norm,
                "weight_change": 0.0,
            },
            fix="Check the condition around step(): it must hold once every few batches, and for the last ones of an epoch."
            if guard
            else "Call optimizer.step() after backward(); a scheduler's step() does not replace it.",
        )
