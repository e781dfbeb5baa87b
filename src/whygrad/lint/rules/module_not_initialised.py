"""A module's ``__init__`` keeps layers before, or without, calling ``super().__init__()``.

## What it means
``torch.nn.Module.__init__`` makes the dicts in which layers and Parameters are registered. Until it has run, an assignment
of a layer raises ``AttributeError: cannot assign module before Module.__init__() call``. The training does not start.

## How to recognise it
The error message names it. It comes when the first object of the class is made, which may be far from where it is written.

## Example
```python
class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(4, 2)
        super().__init__()
```

## Use instead
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
```

## Not this rule
Numbers, strings and lists may be assigned before. A class whose ``__init__`` calls that of its base by name.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.classes import Attribute, ClassInfo, self_name
from whygrad.lint.edits import Fix
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module
from whygrad.lint.writing import line_before, removed


def check(module: Module) -> Iterator[Hit]:
    """Modules of this file that derive from ``torch.nn.Module`` itself and register something too early."""
    for info in module.module_classes():
        init = info.methods.get("__init__")
        bases = [module.dotted(base) for base in info.node.bases]
        if not isinstance(init, ast.FunctionDef) or bases != ["torch.nn.Module"] or not self_name(init):
            continue
        calls = [n for n in ast.walk(init) if isinstance(n, ast.Call) and _initialises(n)]
        first = _first_kept(module, info)
        if first is None or first.node not in init.body:
            continue
        early = [call for call in calls if call.lineno <= first.node.lineno]
        if not early:
            yield _hit(module, info, init, first, calls)


def _hit(
    module: Module, info: ClassInfo, init: ast.FunctionDef, first: Attribute, calls: list[ast.Call]
) -> Hit:
    how = "before" if calls else "without"
    return Hit(
        first.node,
        f"self.{first.name} is a layer, and {info.name}.__init__ keeps it {how} super().__init__(): this raises",
        f"Call super().__init__() first in {info.name}.__init__.",
        link=1,
        role="too early",
        also=((calls[0], "init"),) if calls else (),
        edits=_first(module, init, calls),
    )


def _initialises(call: ast.Call) -> bool:
    """A call of some ``__init__``, or of a method of ``super()``, or one that is given ``self``."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("__init__", "__setstate__"):
        return True
    if isinstance(call.func, ast.Name) and call.func.id == "super":
        return True
    return any(isinstance(argument, ast.Name) and argument.id == "self" for argument in call.args)


def _first_kept(module: Module, info: ClassInfo) -> Attribute | None:
    kept = [
        attribute
        for attributes in info.attributes.values()
        for attribute in attributes
        if getattr(attribute.method, "name", "") == "__init__"
        and attribute.how == "value"
        and isinstance(attribute.value, ast.Call)
        and module.dotted(attribute.value.func).startswith("torch.nn.")
        and module.category(attribute.value) in ("module", "parameter", "loss")
    ]
    return min(kept, key=lambda attribute: attribute.node.lineno, default=None)


def _first(module: Module, init: ast.FunctionDef, calls: list[ast.Call]) -> Fix | None:
    """``super().__init__()`` as the first statement; the late one, if it is that call, is taken away."""
    body = init.body
    text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    start = body[1] if text and len(body) > 1 else body[0]
    added = line_before(module, start, "super().__init__()")
    if added is None or len(calls) > 2:
        return None
    if not calls:
        return Fix((added,))
    line = module.tree.statement(calls[0])
    gone = removed(module, line) if module.source.segment(line).strip() == "super().__init__()" else None
    return Fix((added, gone)) if gone is not None else None
