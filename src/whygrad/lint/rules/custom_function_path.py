"""The static half of ``whygrad.rules.custom_function_path``, which has the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint import kinds
from whygrad.lint.classes import ClassInfo
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_OWN_BACKWARD = ("backward", "grad")


def check(module: Module) -> Iterator[Hit]:
    """A module handed to a custom Function that takes no gradient of its weights."""
    for call, receiver in module.method_calls("apply"):
        named = (
            kinds.class_named(module, receiver) if isinstance(receiver, ast.Name | ast.Attribute) else None
        )
        if named is None or "torch.autograd.Function" not in [base for base, _ in kinds.bases(*named)]:
            continue
        modules = [argument for argument in call.args if module.category(argument) == "module"]
        others = [argument for argument in call.args if argument not in modules]
        if not modules or any(_may_require_grad(module, a) for a in others) or _goes_back_itself(*named):
            continue
        name = module.source.segment(modules[0])
        yield Hit(
            call,
            f"{named[1].name} reaches the weights of {name} without autograd knowing: they get no gradient",
            f"Hand the weights of {name} to apply() as arguments of their own, and return their gradients from backward.",
            severity="warning",
            link=5,
            role="cut",
        )


def _goes_back_itself(module: Module, info: ClassInfo) -> bool:
    """Whether the Function's backward calls autograd for what it holds."""
    backward = info.methods.get("backward")
    if backward is None:
        return True
    calls = (node for node in module.body_nodes(backward) if isinstance(node, ast.Call))
    names = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
    return bool(names & set(_OWN_BACKWARD))


def _may_require_grad(module: Module, node: ast.expr) -> bool:
    """Whether an argument is, or is computed from, something that surely requires grad: then backward runs."""
    calls = (value.node for value in module.upstream(node) if isinstance(value.node, ast.Call))
    asked = any(keyword.arg == "requires_grad" for call in calls for keyword in call.keywords)
    return asked or module.category(node) == "parameter" or module.has_history(node)
