"""The static half of ``whygrad.rules.symmetric_initialisation``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_CONSTANT = ("torch.nn.init.constant_", "torch.nn.init.ones_", "torch.nn.init.zeros_")
_LAYERS = ("torch.nn.Linear", "torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.Embedding")


def check(module: Module) -> Iterator[Hit]:
    """The weights of all layers of a kind set to the same number, in a function that is applied to a whole model."""
    for test in module.nodes(ast.If):
        name = _layer_asked_for(module, test.test)
        if not name or not _goes_over_modules(module, test, name):
            continue
        for node in (inner for part in test.body for inner in ast.walk(part)):
            if isinstance(node, ast.Call) and _sets_weight(module, node, name):
                yield Hit(
                    node,
                    "all weights of a layer start at the same number: its units stay identical for good",
                    "Draw them at random: nn.init.kaiming_uniform_ or xavier_uniform_; constants are for biases.",
                    link=10,
                    role="initialised",
                    also=((test.test, "for"),),
                )


def _layer_asked_for(module: Module, test: ast.expr) -> str:
    """The name ``m`` of ``isinstance(m, nn.Linear)``, where all classes asked for have weights that must differ."""
    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name) or test.func.id != "isinstance":
        return ""
    if len(test.args) != 2 or not isinstance(test.args[0], ast.Name):
        return ""
    classes = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
    return test.args[0].id if classes and all(module.dotted(c) in _LAYERS for c in classes) else ""


def _goes_over_modules(module: Module, test: ast.If, name: str) -> bool:
    """Whether the layer is each one of a model: by ``model.apply(f)``, or in a loop over ``modules()``."""
    above = module.tree.parent(test)
    if (
        isinstance(above, ast.For)
        and isinstance(above.iter, ast.Call)
        and isinstance(above.iter.func, ast.Attribute)
    ):
        return above.iter.func.attr in ("modules", "named_modules")
    if not isinstance(above, ast.FunctionDef) or not above.args.args or above.args.args[-1].arg != name:
        return False
    given = {
        argument.id
        for call, _ in module.method_calls("apply")
        for argument in call.args
        if isinstance(argument, ast.Name)
    }
    given |= {
        a.attr for call, _ in module.method_calls("apply") for a in call.args if isinstance(a, ast.Attribute)
    }
    return above.name in given


def _sets_weight(module: Module, call: ast.Call, name: str) -> bool:
    weight = f"{name}.weight"
    if module.dotted(call.func) in _CONSTANT and call.args:
        return ast.unparse(call.args[0]) in (weight, f"{weight}.data")
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("fill_", "zero_"):
        return ast.unparse(call.func.value) in (f"{weight}.data", f"{weight}.detach()")
    return False
