"""``scaler.step`` is called, and ``scaler.update`` never: the second step raises.

## What it means
A GradScaler remembers for each optimizer that its gradients were unscaled and its step was taken. ``scaler.update()``
forgets that, and adapts the scale. Without it the second ``scaler.step(optimizer)`` raises ``RuntimeError: step() has
already been called since the last update()``.

## How to recognise it
The error message names it. With a scaler that is switched off (``enabled=False``, on the CPU) nothing is raised, so that
it may show up only on the GPU.

## Example
```python
scaler.scale(loss).backward()
scaler.step(optimizer)
```

## Use instead
```python
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
```

## Not this rule
Several optimizers and one ``scaler.update()`` after the last of them.

## References
- https://docs.pytorch.org/docs/stable/amp.html#torch.amp.GradScaler.update
- https://docs.pytorch.org/docs/stable/notes/amp_examples.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import here, rounds, statement
from whygrad.lint.training import Event
from whygrad.lint.writing import line_after


def check(module: Module) -> Iterator[Hit]:
    """A step by a GradScaler of torch in a training round, in a file in which no scaler is updated or handed on."""
    updated = [use.value for use in module.nodes(ast.Attribute) if use.attr == "update"]
    if any(module.category(use) == "scaler" or "scal" in ast.unparse(use).lower() for use in updated):
        return
    told: set[ast.AST] = set()
    for one in rounds(module):
        for event in one.of("scaler_step"):
            call = event.node
            if (
                not isinstance(call, ast.Call)
                or not isinstance(call.func, ast.Attribute)
                or call in told
                or not here(event)
            ):
                continue
            scaler = module.instance(call.func.value)
            if (
                scaler is None
                or scaler.category != "scaler"
                or scaler.call is None
                or _given_on(module, call.func.value)
            ):
                continue
            told.add(call)
            name = module.source.segment(call.func.value)
            yield Hit(
                call,
                f"{name}.update() is never called: the second {name}.step() raises, and the scale is never adapted",
                f"Call {name}.update() after {name}.step(...).",
                link=10,
                role="step",
                edits=_added(module, event, name),
            )


def _given_on(module: Module, scaler: ast.expr) -> bool:
    """Whether the scaler is handed to a function that may update it."""
    name = ast.unparse(scaler)
    return any(
        ast.unparse(a) == name
        for call in module.nodes(ast.Call)
        for a in (*call.args, *(k.value for k in call.keywords))
    )


def _added(module: Module, event: Event, name: str) -> Fix | None:
    line = statement(module, event)
    added = line_after(module, line, f"{name}.update()") if line is not None else None
    return Fix((added,)) if added is not None else None
