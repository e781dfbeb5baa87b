"""Whether a value surely carries no history: on all ways it may have been made, autograd has lost sight of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whygrad.lint import torch_names
from whygrad.lint.rebuilding import REBUILDING, hands_on
from whygrad.lint.upstream import iterated
from whygrad.lint.values import Value

if TYPE_CHECKING:
    from whygrad.lint.module import Module

_PLAIN = ("float", "int", "len")
_COMBINING = ("sum", "max", "min", "abs")


def without_history(module: Module, node: ast.AST) -> bool:
    """See :meth:`Module.without_history`."""
    if module.grad_disabled(node) is not None:
        return True
    origins = module.origins(node)
    return origins.complete and all(_none(value) for value in origins)


def _none(value: Value) -> bool:
    node, module = value.node, value.module
    if isinstance(node, ast.Call) and not value.part:
        return _none_of_call(module, node)
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return True
    parts = _operands(value)
    return parts is not None and all(module.without_history(part) for part in parts)


def _operands(value: Value) -> list[ast.AST] | None:
    """What a value is made of; None if that is not all that counts."""
    node = value.node
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if value.part:
        return list(iterated(value)) if value.part in ("element", "item") else None
    if isinstance(node, ast.Constant | ast.Compare):
        return []
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Tuple | ast.List):
        items: list[ast.AST] = [*node.elts, *value.module.put_into(node)]
        return items or None  # it is filled somewhere else
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return [node.elt]
    return None


def _none_of_call(module: Module, call: ast.Call) -> bool:
    """It takes the history away, makes something new, or nothing that goes in has one."""
    name = module.dotted(call.func)
    arguments = [*call.args, *(k.value for k in call.keywords)]
    if hands_on(module, call):
        return all(module.without_history(argument) for argument in call.args)
    if name in REBUILDING or name in torch_names.WITHOUT_HISTORY:
        # a leaf that is asked to require grad is one to be trained, unless it copies what was computed
        asked = any(k.arg == "requires_grad" and getattr(k.value, "value", True) for k in call.keywords)
        if not asked and not module.asked_for_gradient(call):
            return True
        return name in REBUILDING and bool(call.args) and _is_computed(module, call.args[0])
    if name.startswith("torch.") and torch_names.category(name) is None:
        return bool(arguments) and all(module.without_history(argument) for argument in arguments)
    if isinstance(call.func, ast.Attribute):
        if call.func.attr in ("detach", "item", "tolist", "numpy"):
            return True
        if call.func.attr in torch_names.DIFFERENTIABLE_METHODS - {"requires_grad_"}:
            return all(module.without_history(part) for part in (call.func.value, *arguments))
    if isinstance(call.func, ast.Name) and call.func.id in (*_PLAIN, *_COMBINING):
        return call.func.id in _PLAIN or all(module.without_history(argument) for argument in arguments)
    instance = module.instance(call.func)
    if instance is not None and instance.category == "loss":
        return all(module.without_history(argument) for argument in arguments)
    returned = module.returned(call)
    return returned is not None and all(returned[0].without_history(expression) for expression in returned[1])


def _is_computed(module: Module, node: ast.expr) -> bool:
    """Whether a value was computed from something that had a history."""
    return any(value.module.has_history(value.node) for value in module.upstream(node))
