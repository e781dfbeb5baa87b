"""Calls that make a new tensor of numbers, and whether the history of those numbers ends there.

``torch.tensor`` and ``Variable`` cut whatever they are given. ``torch.as_tensor``, ``torch.asarray`` and ``torch.Tensor`` hand
on a tensor with its history, and cut only what they gather from a list.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whygrad.lint.module import Module

_COPYING = frozenset({"torch.tensor", "torch.autograd.Variable", "torch.from_numpy"})
_GATHERING = frozenset(
    {"torch.Tensor", "torch.FloatTensor", "torch.DoubleTensor", "torch.HalfTensor", "torch.cuda.FloatTensor",
     "torch.as_tensor", "torch.asarray"}
)  # fmt: skip
REBUILDING = _COPYING | _GATHERING


def cut_in(module: Module, call: ast.Call) -> ast.expr | None:
    """What a call copies the numbers of without their history; None for other calls, and where it may hand a tensor on."""
    if not call.args or isinstance(call.args[0], ast.Starred):
        return None
    name, first = module.dotted(call.func), call.args[0]
    if name in _COPYING or (isinstance(call.func, ast.Attribute) and call.func.attr == "new_tensor"):
        return first
    if name not in _GATHERING:
        return None
    origins = module.origins(first)
    listed = all(
        isinstance(value.node, ast.List | ast.Tuple | ast.ListComp) and not value.part for value in origins
    )
    return first if origins.complete and origins.values and listed else None


def hands_on(module: Module, call: ast.Call) -> bool:
    """Whether it is a call that gives back a tensor as it is, history included, if it is given one."""
    return module.dotted(call.func) in _GATHERING and bool(call.args) and cut_in(module, call) is None
