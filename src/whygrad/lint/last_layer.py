"""What produced a value: the last function that changed its numbers, looked for through shapes, models and their layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whygrad.lint.values import Value

if TYPE_CHECKING:
    from whygrad.lint.kinds import Instance
    from whygrad.lint.module import Module

#: Full names, and methods of tensors, by what they do.
_WHAT = {
    "softmax": "softmax", "log_softmax": "log_softmax", "sigmoid": "sigmoid", "logsigmoid": "logsigmoid",
    "tanh": "tanh", "relu": "relu", "linear": "scores", "conv1d": "scores", "conv2d": "scores", "conv3d": "scores",
}  # fmt: skip
_LAYERS = {
    "Softmax": "softmax", "Softmax2d": "softmax", "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid",
    "LogSigmoid": "logsigmoid", "Tanh": "tanh", "ReLU": "relu", "Linear": "scores", "LazyLinear": "scores",
    "Conv1d": "scores", "Conv2d": "scores", "Conv3d": "scores", "Bilinear": "scores",
}  # fmt: skip
#: Methods and functions that change the shape or type of a value, not its numbers.
_SHAPES = frozenset(
    {"view", "reshape", "flatten", "squeeze", "unsqueeze", "permute", "transpose", "contiguous", "float", "double", "to",
     "cuda", "cpu", "t", "expand", "movedim", "view_as", "reshape_as", "type", "type_as", "clone", "swapaxes", "unflatten"}
)  # fmt: skip
_HOMES = ("torch.", "torch.nn.functional.")
_DEPTH = 10


@dataclass(frozen=True, eq=False)
class Produced:
    """``what``: ``softmax``, ``log_softmax``, ``sigmoid``, ``logsigmoid``, ``tanh``, ``relu``, ``scores`` (a linear layer
    or convolution), or empty if it is not known. ``node``: the call of the function, or that which made the layer."""

    what: str
    node: ast.AST
    module: Module
    argument: ast.expr | None = None


def produced(module: Module, node: ast.expr) -> list[Produced]:
    """All that may have produced a value; with an unknown among them if a way is not understood."""
    return list(_produced(module, node, 0))


def _produced(module: Module, node: ast.AST, depth: int) -> Iterator[Produced]:
    origins = module.origins(node)
    if not origins.complete or depth > _DEPTH:
        yield Produced("", node, module)
    for value in origins:
        if isinstance(value.node, ast.Call) and not value.part:
            yield from _of_call(value.module, value.node, depth + 1)
        elif isinstance(value.node, ast.Subscript | ast.Attribute) and _is_same(value.node):
            yield from _produced(value.module, value.node.value, depth + 1)
        else:
            yield Produced("", value.node, value.module)


def _is_same(node: ast.Subscript | ast.Attribute) -> bool:
    """``x.T`` and ``x[:, 0]``, not ``outputs["logits"]`` and not ``outputs[0]``, which may be an item of a tuple."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("T", "mT")
    return isinstance(node.slice, ast.Tuple | ast.Slice)


def _of_call(module: Module, call: ast.Call, depth: int) -> Iterator[Produced]:
    name = module.dotted(call.func)
    home, _, last = name.rpartition(".")
    if f"{home}." in _HOMES and last in _WHAT:
        yield Produced(_WHAT[last], call, module, call.args[0] if call.args else None)
        return
    if f"{home}." in _HOMES and last in _SHAPES and call.args:
        yield from _produced(module, call.args[0], depth)
        return
    if all(instance is not None for instance in module.instances(call.func)):
        yield from _of_layer(module, call.func, call, depth)
        return
    if isinstance(call.func, ast.Attribute) and not name:
        if call.func.attr in _SHAPES:
            yield from _produced(module, call.func.value, depth)
            return
        if (
            call.func.attr in ("softmax", "log_softmax", "sigmoid", "tanh", "relu")
            and module.callee(call) is None
        ):
            yield Produced(call.func.attr, call, module, call.func.value)
            return
    yield from _of_returns(module, call, depth)


def _of_returns(module: Module, call: ast.Call, depth: int) -> Iterator[Produced]:
    returned = module.returned(call)
    if returned is None:
        yield Produced("", call, module)
        return
    other, expressions = returned
    for expression in expressions:
        yield from _produced(other, expression, depth)


def _of_layer(module: Module, layer: ast.AST, call: ast.Call, depth: int) -> Iterator[Produced]:
    """What the layer ``layer`` gives when ``call`` calls it: for each of those that it may be."""
    if depth > _DEPTH:
        yield Produced("", call, module)
        return
    for instance in module.instances(layer):
        if instance is None:
            yield Produced("", call, module)
        else:
            yield from _of_instance(module, instance, call, depth)


def _of_instance(module: Module, instance: Instance, call: ast.Call, depth: int) -> Iterator[Produced]:
    made, where = instance.call or call, instance.module or module
    kind = instance.name.rpartition(".")[2]
    if instance.info is not None:
        yield from _of_returns(module, call, depth)
    elif instance.name == "torch.nn.Sequential" and instance.call is not None:
        last = last_of(where, instance.call)
        if last is None:
            yield Produced("", call, module)
        else:
            yield from _of_layer(last.module, last.node, call, depth + 1)
    elif instance.name.startswith("torch.nn.") and kind in _LAYERS:
        yield Produced(_LAYERS[kind], made, where)
    elif kind in ("Flatten", "Unflatten", "Identity", "Dropout") and call.args:
        yield from _produced(module, call.args[0], depth)
    else:
        yield Produced("", call, module)


def last_of(module: Module, sequential: ast.Call) -> Value | None:
    """The last layer in ``nn.Sequential(...)``; None if that can't be told."""
    if not sequential.args or sequential.keywords:
        return None
    last = sequential.args[-1]
    if isinstance(last, ast.Starred):
        only = module.origins(last.value).only
        return _last_element(only) if only is not None else None
    if isinstance(last, ast.Call) and module.dotted(last.func) in ("collections.OrderedDict", "OrderedDict"):
        return None
    return Value(last, module)


def _last_element(value: Value) -> Value | None:
    """The last element of a list that is written out, or of the one that was added last."""
    node, module = value.node, value.module
    if value.part == "augmented" and isinstance(node, ast.AugAssign):
        node = node.value
    elif not isinstance(node, ast.List) or value.part:
        return None
    elif added := module.put_into(node):
        return (
            Value(added[-1], module)
            if len({module.tree.parent(module.tree.statement(a)) for a in added}) == 1
            else None
        )
    if isinstance(node, ast.List) and node.elts and not isinstance(node.elts[-1], ast.Starred):
        return Value(node.elts[-1], module)
    return None
