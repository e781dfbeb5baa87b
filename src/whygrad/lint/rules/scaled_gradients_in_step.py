"""The loss is scaled by a GradScaler, and the optimizer steps without it: the gradients are thousands of times too large.

## What it means
``scaler.scale(loss).backward()`` leaves gradients that are multiplied by the scale, 65536 at first. ``scaler.step(optimizer)``
divides them again, and leaves the step out where one is infinite. ``optimizer.step()`` in its place takes them as they
are: with SGD the weights explode at once; Adam hardly notices, but its clipping, weight decay and skipped steps are gone.

## How to recognise it
The loss jumps or becomes nan in the first steps, only with mixed precision. ``scaler.step`` is never called.

## Example
```python
scaler.scale(loss).backward()
optimizer.step()
scaler.update()
```

## Use instead
```python
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
```

## Not this rule
``scaler.unscale_(optimizer)`` before an ``optimizer.step()`` of one's own; a scaler of another library.

## References
- https://docs.pytorch.org/docs/stable/notes/amp_examples.html#typical-mixed-precision-training
- https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix, replace
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.steps import here, quiet_between, rounds, statement


def check(module: Module) -> Iterator[Hit]:
    """A ``backward`` of a scaled loss, and then the optimizer's own ``step``, in a file that never steps by the scaler."""
    told: set[ast.AST] = set()
    for one in rounds(module):
        events = one.of("backward", "step", "unscale", "scaler_step")
        if [e.kind for e in events] != ["backward", "step"]:
            continue
        backward, step = events
        scaler = _scaler(module, backward.node)
        if scaler is None or step.node in told or not (here(backward) and here(step)) or step.subject is None:
            continue
        if _steps_elsewhere(module) or not quiet_between(module, backward, step):
            continue
        told.add(step.node)
        name, optimizer = module.source.segment(scaler), module.source.segment(step.subject)
        plain = isinstance(step.node, ast.Call) and not step.node.args and statement(module, step) is not None
        new = f"{name}.step({optimizer})"
        yield Hit(
            step.node,
            f"{optimizer}.step() uses gradients that are still multiplied by the scale of {name}",
            f"Write {new}.",
            link=10,
            role="step",
            also=((backward.node, "backward"),),
            edits=Fix((replace(module.source.span(step.node), new),)) if plain else None,
        )


def _scaler(module: Module, call: ast.AST) -> ast.expr | None:
    """The GradScaler of torch that scales the loss of a ``backward``; none that is switched off."""
    scale = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    if (
        not isinstance(scale, ast.Call)
        or not isinstance(scale.func, ast.Attribute)
        or scale.func.attr != "scale"
    ):
        return None
    instance = module.instance(scale.func.value)
    if instance is None or instance.category != "scaler" or instance.call is None:
        return None
    off = any(
        k.arg == "enabled" and isinstance(k.value, ast.Constant) and not k.value.value
        for k in instance.call.keywords
    )
    return None if off else scale.func.value


def _steps_elsewhere(module: Module) -> bool:
    return any(
        module.category(receiver) == "scaler"
        for _, receiver in module.method_calls("step", "unscale_", "get_scale")
    )
