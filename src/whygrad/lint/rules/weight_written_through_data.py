"""A parameter is written to through `.data` or `.detach()`. It trains all the same; there is a clearer form.

## What it means

`weight.data.normal_()` and `weight.detach().zero_()` write into the parameter's own storage, past autograd. The parameter
stays the leaf that it was: it gets its gradient, and the optimizer changes it. A widely copied explanation says that
`detach()` cuts the weight from the graph; it does not (the detached tensor is a second name for the same numbers, which
nothing goes on with). Two trainings, one with `.data` and one with `torch.no_grad()`, give the same weights, bit for bit.

What `.data` does take away is a check: written between a forward pass and its `backward()`, it changes numbers that autograd
has saved, without the error that a write under `torch.no_grad()` gives.

## How to recognise it

`whygrad run` says that all parameters train. This is a note, shown with `--notes`: nothing is wrong.

## Example

```python
self.linear.weight.data.normal_(0, 0.02)
self.linear.bias.detach().zero_()
```

## Use instead

```python
nn.init.normal_(self.linear.weight, 0, 0.02)
nn.init.zeros_(self.linear.bias)
with torch.no_grad():
    self.linear.weight.clamp_(min=0)
```

## Not this rule

`out = layer(x).detach()`, which goes on with the detached value: `detached-path`. A write through `.data` into a tensor
that autograd has saved: `saved-tensor-changed-through-data`.

## References

- https://docs.pytorch.org/docs/stable/nn.init.html
- https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.edits import Fix, replace
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_INIT = {"zero_": "zeros_", "fill_": "constant_", "normal_": "normal_", "uniform_": "uniform_"}


def check(module: Module) -> Iterator[Hit]:
    """Writes in place to a parameter's `.data` or `.detach()`."""
    for call in module.calls():
        if (
            not isinstance(call.func, ast.Attribute)
            or not call.func.attr.endswith("_")
            or call.func.attr.startswith("_")
        ):
            continue
        written = _through(call.func.value)
        if written is None or not _is_parameter(module, written[0]):
            continue
        yield Hit(
            call,
            f"a parameter is written to through {written[1]}; it trains all the same, and torch.no_grad() says it clearer",
            "Use torch.nn.init, or write under `with torch.no_grad():`. The training is not harmed by it as it is.",
            severity="note",
            role="written",
            edits=_by_init(module, call, written[0]),
        )


def _through(node: ast.expr) -> tuple[ast.expr, str] | None:
    """The tensor behind ``.data`` or ``.detach()``."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return node.value, ".data"
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "detach"
        and not node.args
    ):
        return node.func.value, ".detach()"
    return None


def _is_parameter(module: Module, node: ast.expr) -> bool:
    if module.category(node) == "parameter":
        return True
    return (
        isinstance(node, ast.Attribute)
        and node.attr in ("weight", "bias")
        and module.category(node.value) == "module"
    )


def _by_init(module: Module, call: ast.Call, tensor: ast.expr) -> Fix | None:
    """``w.data.normal_(0, 1)`` as ``nn.init.normal_(w, 0, 1)``: the same call, made under ``torch.no_grad()``."""
    assert isinstance(call.func, ast.Attribute)
    name = _INIT.get(call.func.attr)
    home = next((n for n, full in module.tree.imports.items() if full == "torch.nn"), None)
    home = home or next((f"{n}.nn" for n, full in module.tree.imports.items() if full == "torch"), None)
    alone = isinstance(module.tree.parent(call), ast.Expr)
    plain = (
        call.func.attr == "zero_"
        or (call.func.attr == "fill_" and len(call.args) == 1)
        or name in ("normal_", "uniform_")
    )
    if name is None or home is None or not alone or not plain or call.keywords:
        return None
    source = module.source
    start, end = source.span(call.func).end, source.span(call).end
    inside = source.text[start:end].removeprefix("(").removesuffix(")")
    given = f", {inside}" if inside.strip() else ""
    return Fix((replace(source.span(call), f"{home}.init.{name}({source.segment(tensor)}{given})"),))
