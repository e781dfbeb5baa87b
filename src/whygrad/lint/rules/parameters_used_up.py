"""A generator of parameters is gone through twice: the second time it is empty.

## What it means
``model.parameters()`` is a generator. Once something has gone through it (``sum``, a loop, an optimizer), it is used up,
and whoever gets it next finds no parameter: gradients are not clipped, an average is
never updated. Nothing is raised.

## How to recognise it
The same name is used twice after ``params = model.parameters()``. torch 2.13 warns of an empty generator in
``clip_grad_norm_``, and no gradient is clipped.

## Example
```python
params = model.parameters()
optimizer = torch.optim.Adam(params)
...
torch.nn.utils.clip_grad_norm_(params, 1.0)
```

## Use instead
```python
params = list(model.parameters())
```

## Not this rule
``model.parameters()`` written out at each place: that is a new generator each time. An optimizer that comes second is
``empty-parameter-list``, or ``parameter-not-in-optimizer``.

## References
- https://docs.python.org/3/glossary.html#term-generator-iterator
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.parameters
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.used_up import Twice, used_twice


def check(module: Module) -> Iterator[Hit]:
    """A generator over a module that is gone through again, other than by an optimizer."""
    for twice in used_twice(module):
        if twice.call is not None and module.category(twice.call) == "optimizer":
            continue
        name = twice.second.id
        yield Hit(
            twice.second,
            f"{name} is a generator that has been gone through already: here it is empty{_result(module, twice)}",
            f"Make it a list where it is made: {name} = list(...).",
            link=10,
            role="empty",
            also=((twice.first, "used up"), (twice.made, "generator")),
            edits=twice.mended(module),
        )


def _result(module: Module, twice: Twice) -> str:
    call = twice.call
    if call is not None and module.dotted(call.func).startswith("torch.nn.utils.clip"):
        return ", and no gradient is clipped"
    return "" if isinstance(call, ast.Call) else ", and the loop is never entered"
