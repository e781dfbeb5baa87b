"""Whether a value is a column: what a layer with one output gives for a batch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.lint.dims import dimensions
from whygrad.lint.last_layer import last_of

if TYPE_CHECKING:
    from whygrad.lint.kinds import Instance
    from whygrad.lint.module import Module

_DEPTH = 8


def is_column(module: Module, node: ast.expr) -> bool:
    """Whether a value is what a layer with one output gives for a batch: ``[N, 1]``, never squeezed."""
    value = module.origins(node).only
    if value is None or value.part or not isinstance(value.node, ast.Call) or len(value.node.args) != 1:
        return False
    call, where = value.node, value.module
    instance = where.instance(call.func)
    if instance is None or instance.category != "module" or len(where.instances(call.func)) != 1:
        return False
    rows = dimensions(where, call.args[0])
    return rows == 2 and any(_one_output(one) for one in _last(where, call, instance))


def _last(module: Module, call: ast.Call, instance: Instance) -> Iterator[Instance]:
    """The layer that gives the result of a module as it is."""
    for _ in range(_DEPTH):
        if (
            instance.name == "torch.nn.Sequential"
            and instance.call is not None
            and instance.module is not None
        ):
            last = last_of(instance.module, instance.call)
            found = last.module.instance(last.node) if last is not None else None
        elif instance.info is not None:
            returned = module.returned(call)
            only = (
                returned[0].origins(returned[1][0]).only
                if returned is not None and len(returned[1]) == 1
                else None
            )
            if (
                only is None
                or only.part
                or not isinstance(only.node, ast.Call)
                or only.module.dotted(only.node.func)
            ):
                return
            module, call = only.module, only.node
            found = module.instance(call.func) if len(module.instances(call.func)) == 1 else None
        else:
            yield instance
            return
        if found is None:
            return
        instance = found


def _one_output(instance: Instance) -> bool:
    call = instance.call
    if instance.name != "torch.nn.Linear" or call is None:
        return False
    size = (
        call.args[1]
        if len(call.args) > 1
        else next((k.value for k in call.keywords if k.arg == "out_features"), None)
    )
    return isinstance(size, ast.Constant) and size.value == 1
