"""Whether a value carries a history: it comes out of parameters or modules through operations that autograd follows."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from whygrad.lint import torch_names
from whygrad.lint.kinds import Instance
from whygrad.lint.rebuilding import REBUILDING, hands_on
from whygrad.lint.upstream import iterated
from whygrad.lint.values import Value

if TYPE_CHECKING:
    from whygrad.lint.module import Module

_WITHOUT_PARAMETERS = re.compile(
    r"^torch\.nn\.(\w*(ReLU\w*|ELU|GELU|SiLU|Mish|Sigmoid|Tanh\w*|Softmax\w*|Softmin|LogSoftmax|LogSigmoid|Softplus|Dropout\w*"
    r"|Pool\w*|Pad\w*|Flatten|Unflatten|Identity|Upsample\w*|Shuffle|Unshuffle|Hardshrink|Fold|Unfold|CosineSimilarity"
    r"|PairwiseDistance|Hardtanh|ReLU6|Threshold)\w*)$"
)
#: What people call a model that is handed to a function.
_MODEL = re.compile(
    r"^(model|net|network|(net|model)_?[a-z0-9]+|[a-z0-9]+_?(model|net)|generator|discriminator)$",
    re.IGNORECASE,
)


def has_history(module: Module, node: ast.AST) -> bool:
    """See :meth:`Module.has_history`."""
    return not _switched_off(module, node) and any(_of_value(value) for value in module.origins(node))


def _of_value(value: Value) -> bool:
    node, module = value.node, value.module
    if value.part == "augmented" and isinstance(node, ast.AugAssign):
        return module.has_history(node.value) or module.has_history(node.target)
    if isinstance(node, ast.Call):
        if value.part == "element":
            if isinstance(node.func, ast.Attribute) and "parameters" in node.func.attr:
                return True
            if iterated(value) != [node]:
                return any(module.has_history(part) for part in iterated(value))
        return _of_call(module, node)
    if value.part in ("element", "item") and isinstance(node, ast.Name | ast.Attribute):
        return module.has_history(node)
    if isinstance(node, ast.BinOp):
        return module.has_history(node.left) or module.has_history(node.right)
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not) and module.has_history(node.operand)
    if isinstance(node, ast.Subscript | ast.Starred):
        return module.has_history(node.value)
    if isinstance(node, ast.Tuple | ast.List):
        return any(module.has_history(item) for item in (*node.elts, *module.put_into(node)))
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return module.has_history(node.elt)
    if isinstance(node, ast.Attribute):
        if node.attr in ("T", "mT", "H", "mH", "real", "imag", "loss", "logits"):
            return module.has_history(node.value)
        return node.attr in ("weight", "bias") and module.category(node.value) == "module"
    return False


def _of_call(module: Module, call: ast.Call) -> bool:
    if _switched_off(module, call):
        return False
    name = module.dotted(call.func)
    arguments = [*call.args, *(k.value for k in call.keywords)]
    if name.startswith("torch."):
        if torch_names.category(name) == "parameter":
            return True
        if (name in torch_names.WITHOUT_HISTORY or name in REBUILDING) and not hands_on(module, call):
            return False
        return any(module.has_history(argument) for argument in arguments)
    if isinstance(call.func, ast.Attribute) and call.func.attr in torch_names.DIFFERENTIABLE_METHODS:
        return module.has_history(call.func.value)
    instance = module.instance(call.func)
    if instance is not None and instance.category in ("module", "loss"):
        return has_parameters(instance) or any(module.has_history(a) for a in arguments)
    returned = module.returned(call)
    if returned is not None:
        other, expressions = returned
        return any(other.has_history(expression) for expression in expressions)
    return _is_model(module, call.func)


def has_parameters(instance: Instance) -> bool:
    """Whether an object is a module that may have parameters of its own."""
    if instance.category != "module":
        return False
    if instance.info is not None:
        return True
    return not _WITHOUT_PARAMETERS.match(instance.name)


def _is_model(module: Module, node: ast.expr) -> bool:
    """A parameter or attribute that is called as people call models, and of which nothing else is known."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if not _MODEL.match(name):
        return False
    return all(isinstance(value.node, ast.arg | ast.Attribute | ast.Name) for value in module.origins(node))


def _switched_off(module: Module, node: ast.AST) -> bool:
    return not module.context.anywhere and module.grad_disabled(node) is not None
