"""An old way to steer gradients that torch has taken away: it does nothing now, or raises.

## What it means
``volatile=True`` once switched gradients off; since torch 0.4 it has no effect, and the graph is kept. A
``torch.autograd.Function`` that is made an object and called (``MyFunction()(x)``) raises: its ``forward`` and ``backward``
are static methods that are reached through ``MyFunction.apply``.

## How to recognise it
torch warns "volatile was removed and now has no effect", or raises "Legacy autograd function with non-static forward
method is deprecated". The memory of an evaluation grows as if it were a training.

## Example
```python
inputs = Variable(batch, volatile=True)
outputs = model(inputs)
```

## Use instead
```python
with torch.no_grad():
    outputs = model(batch)
```

## Not this rule
``Variable(x)`` and ``clip_grad_norm`` without the underscore: old names that do the same.

## References
- https://docs.pytorch.org/docs/stable/notes/extending.html
- https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint import kinds
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_FUNCTION = "torch.autograd.Function"


def check(module: Module) -> Iterator[Hit]:
    """``volatile=True``, and objects of autograd functions that are called."""
    for call in module.nodes(ast.Call):
        old = next((k for k in call.keywords if k.arg == "volatile" and _true(k.value)), None)
        if old is not None and module.dotted(call.func) == "torch.autograd.Variable":
            yield Hit(
                call,
                "volatile=True has no effect since torch 0.4: gradients stay on, and the graph is kept",
                "Compute it under with torch.no_grad(): instead.",
                severity="note",
                link=4,
                role="volatile",
            )
        yield from _called(module, call)


def _called(module: Module, call: ast.Call) -> Iterator[Hit]:
    """``Function()(x)`` with a ``forward`` that is no static method."""
    instance = module.instance(call.func) if isinstance(call.func, ast.Call | ast.Name) else None
    if instance is None or instance.info is None or instance.home is None or instance.call is None:
        return
    if not any(base == _FUNCTION for base, _ in kinds.bases(instance.home, instance.info)):
        return
    yield Hit(
        call,
        f"an object of {instance.name} is called: autograd functions have been called through apply since torch 1.3, and this raises",
        f"Make forward and backward static methods with ctx as their first argument, and call {instance.name}.apply(...).",
        link=5,
        role="called",
        also=((instance.call, "made"),)
        if instance.module is module and instance.call is not call.func
        else (),
    )


def _true(node: ast.expr) -> bool:
    return not (isinstance(node, ast.Constant) and not node.value)
