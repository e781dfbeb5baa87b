"""A method is named, and not called: without parentheses nothing happens.

## What it means
``optimizer.step`` on a line of its own is an expression: Python looks the method up and drops it. No weight changes, no
gradient is cleared, no mode is switched, and there is no error message.

## How to recognise it
The line has no parentheses. ``whygrad run`` finds what is missing by then: a step that was never taken, gradients that
were never cleared, dropout that stays on.

## Example
```python
loss.backward()
optimizer.step
```

## Use instead
```python
loss.backward()
optimizer.step()
```

## Not this rule
A method that is handed to somebody who calls it: ``callback = optimizer.step``. A property.

## References
- https://docs.python.org/3/reference/simple_stmts.html#expression-statements
- https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix, insert
from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

#: What goes missing, and the link of the chain that breaks with it.
_METHODS = {
    "step": ("the step is not taken", 7),
    "zero_grad": ("no gradient is cleared", 10),
    "backward": ("no gradient is computed", 3),
    "train": ("the mode is not switched", 10),
    "eval": ("the mode is not switched", 10),
    "update": ("the scale is not updated", 10),
    "requires_grad_": ("nothing is switched", 2),
    "detach_": ("nothing is detached", 2),
    "zero_": ("nothing is zeroed", 10),
}
_OWNERS = {
    "step": ("optimizer", "scheduler"), "update": ("scaler",), "train": ("module",), "eval": ("module",),
    "zero_grad": ("optimizer", "module"),
}  # fmt: skip


def check(module: Module) -> Iterator[Hit]:
    """``optimizer.step``, ``loss.backward``, ``model.eval`` and the like as statements."""
    for statement in module.nodes(ast.Expr):
        node = statement.value
        if not isinstance(node, ast.Attribute) or node.attr not in _METHODS or not _surely(module, node):
            continue
        what, link = _METHODS[node.attr]
        text = module.source.segment(node)
        yield Hit(
            statement,
            f"{text} is named and not called: {what}",
            f"Write {text}().",
            link=link,
            role="not called",
            edits=Fix((insert(module.source.span(node).end, "()"),))
            if node.attr != "step" or _plain(module, node)
            else None,
        )


def _surely(module: Module, node: ast.Attribute) -> bool:
    """Whether the receiver is what has such a method."""
    if node.attr in ("backward", "zero_grad", "requires_grad_", "detach_", "zero_"):
        return bool(chain(node.value)) and not module.dotted(node)
    if module.category(node.value) in _OWNERS[node.attr]:
        return True
    name = chain(node.value).rpartition(".")[2].lower()
    likely = {
        "step": ("optim", "sched"),
        "update": ("scaler",),
        "train": ("model", "net"),
        "eval": ("model", "net"),
    }
    return not module.dotted(node) and any(part in name for part in likely[node.attr])


def _plain(module: Module, node: ast.Attribute) -> bool:
    """Whether ``step`` can be called without an argument."""
    instance = module.instance(node.value)
    return instance is None or instance.name not in (
        "torch.optim.LBFGS",
        "torch.optim.lr_scheduler.ReduceLROnPlateau",
    )
