"""softmax without ``dim``: torch chooses the dimension by the number of dimensions, and warns.

## What it means
Without ``dim``, ``softmax`` and ``log_softmax`` of ``torch.nn.functional`` take dimension 0 for tensors with 0, 1 or 3
dimensions, and dimension 1 for all others. For a batch of scores that is the dimension of the classes. For a batch of
sequences it is the batch: each sample's probabilities then depend on who else is in the batch.

## How to recognise it
torch warns: "Implicit dimension choice for softmax has been deprecated". Probabilities do not add up to 1 over the classes.

## Example
```python
attention = F.softmax(scores)
```

## Use instead
```python
attention = F.softmax(scores, dim=-1)
```

## Not this rule
A note: with two dimensions the choice is the usual one, and nothing is wrong. Where the batch is meant, ``dim=0`` says so.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.writing import argument_added

_FUNCTIONS = frozenset("torch.nn.functional." + name for name in ("softmax", "log_softmax", "softmin"))
_MODULES = frozenset("torch.nn." + name for name in ("Softmax", "LogSoftmax", "Softmin"))


def check(module: Module) -> Iterator[Hit]:
    """Every call that leaves the dimension to torch."""
    for call in module.nodes(ast.Call):
        name = module.dotted(call.func)
        if name not in _FUNCTIONS and name not in _MODULES:
            continue
        needed = 2 if name in _FUNCTIONS else 1
        unpacked = any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        )
        if unpacked or len(call.args) >= needed or any(k.arg == "dim" for k in call.keywords):
            continue
        added = argument_added(module, call, "dim=-1")
        yield Hit(
            call,
            f"{module.source.segment(call.func)} without dim: for a tensor with 1 or 3 dimensions torch takes dimension 0, the batch",
            "Say which dimension adds up to 1: dim=-1 for the last one. Harmless for tensors with two dimensions.",
            severity="note",
            link=5,
            role="softmax",
            edits=Fix((added,), safe=False) if added is not None else None,
        )
