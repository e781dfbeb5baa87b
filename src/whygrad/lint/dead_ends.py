"""Outputs of trained modules all of whose uses are cut off from autograd: the module can't get a gradient through them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from whygrad.lint import history
from whygrad.lint.flow import chain
from whygrad.lint.held import NOT_TRAINED
from whygrad.lint.values import is_this

if TYPE_CHECKING:
    from whygrad.lint.module import Module

How = Literal["detach", "argmax"]
_SETTINGS = (
    "parameters",
    "named_parameters",
    "state_dict",
    "train",
    "eval",
    "to",
    "cuda",
    "zero_grad",
    "apply",
    "requires_grad_",
)
_NEUTRAL = (
    "shape",
    "size",
    "dtype",
    "device",
    "ndim",
    "dim",
    "is_cuda",
    "numel",
    "item",
    "tolist",
    "numpy",
    "cpu",
)
FREEZING = re.compile(
    r"requires_grad(_\(False|\s*=\s*False)|\.freeze|load_state_dict|from_pretrained|pretrained\s*=\s*True"
)


@dataclass(frozen=True, eq=False)
class DeadEnd:
    """``call`` calls the module ``name``; ``cut`` is the first place that cuts off its output."""

    name: str
    call: ast.Call
    cut: ast.expr


def dead_ends(module: Module, how: How) -> Iterator[DeadEnd]:
    """Those of the file in which nothing is frozen or loaded, whose module is in an optimizer there and called once."""
    if FREEZING.search(module.source.text) or not module.held:
        return
    for statement in module.nodes(ast.Assign):
        call = statement.value
        if (
            len(statement.targets) != 1
            or not isinstance(statement.targets[0], ast.Name)
            or not isinstance(call, ast.Call)
        ):
            continue
        name = chain(call.func)
        if (
            not name
            or NOT_TRAINED.search(name)
            or module.grad_disabled(call)
            or not _is_trained(module, call, name)
        ):
            continue
        cuts = _cuts(module, statement)
        if cuts and all(kind == how for kind, _ in cuts) and _calls(module, name) == 1:
            first = min((cut for _, cut in cuts), key=lambda cut: (cut.lineno, cut.col_offset))
            if any(cut in module.counted for _, cut in cuts):
                yield DeadEnd(name, call, first)


def _is_trained(module: Module, call: ast.Call, name: str) -> bool:
    """Whether an optimizer of the file holds the parameters of the module that is called."""
    instance = module.instance(call.func)
    if instance is None or instance.category != "module" or not history.has_parameters(instance):
        return False
    if any(one.name == name for one in module.held):
        return True
    if isinstance(call.func, ast.Attribute):
        owner = is_this(module, call.func.value)
        return owner is not None and owner.node in module.held_classes
    return False


def _calls(module: Module, name: str) -> int:
    """How often the module of that name computes something in the file."""
    heads = [chain(call.func) for call in module.calls()]
    computing = [h for h in heads if h.startswith(f"{name}.") and h.rpartition(".")[2] not in _SETTINGS]
    return heads.count(name) + len(computing)


def never_enabled(module: Module) -> Iterator[DeadEnd]:
    """Trained modules that are only ever called with gradients switched off; ``cut`` is what switches them off."""
    if FREEZING.search(module.source.text) or not module.held:
        return
    named: dict[str, list[ast.Call]] = {}
    for call in module.calls():
        if chain(call.func):
            named.setdefault(chain(call.func), []).append(call)
    for name, calls in named.items():
        off = [module.grad_disabled(call) for call in calls]
        if not all(off) or NOT_TRAINED.search(name) or not any(call in module.in_losses for call in calls):
            continue
        if _is_trained(module, calls[0], name) and _calls(module, name) == len(calls) and off[0] is not None:
            yield DeadEnd(name, calls[0], off[0])


def _cuts(module: Module, statement: ast.Assign) -> list[tuple[How, ast.expr]]:
    """How each use of what is assigned is cut off; empty if one is not."""
    target = statement.targets[0]
    assert isinstance(target, ast.Name)
    flow = module.flow(module.tree.scope(target))
    cuts: list[tuple[How, ast.expr]] = []
    for use, definitions in flow.uses.items():
        if (
            isinstance(use, ast.Name)
            and use.id == target.id
            and any(d.node is statement for d in definitions)
        ):
            if _is_neutral(module, use):
                continue
            found = _cut(module, use)
            if found is None:
                return []
            cuts.append(found)
    captured = any(
        name.id == target.id and isinstance(name.ctx, ast.Load) and name not in flow.uses
        for name in module.nodes(ast.Name)
    )
    return [] if captured else cuts


def _is_neutral(module: Module, use: ast.Name) -> bool:
    above = module.tree.parent(use)
    return isinstance(above, ast.Attribute) and above.attr in _NEUTRAL


def _cut(module: Module, use: ast.Name) -> tuple[How, ast.expr] | None:
    above = module.tree.parent(use)
    if isinstance(above, ast.Attribute):
        call = module.tree.parent(above)
        if above.attr == "data":
            return "detach", above
        if isinstance(call, ast.Call) and call.func is above:
            if above.attr == "detach":
                return "detach", call
            if above.attr == "argmax" or (
                above.attr in ("max", "min", "topk", "sort") and _is_index(module, call)
            ):
                return "argmax", call
    if isinstance(above, ast.Call) and use in above.args[:1]:
        name = module.dotted(above.func)
        if name == "torch.argmax" or (
            name in ("torch.max", "torch.min", "torch.topk") and _is_index(module, above)
        ):
            return "argmax", above
    return None


def _is_index(module: Module, call: ast.Call) -> bool:
    """Whether only the indices of a ``max`` are used: ``[1]`` or ``.indices``."""
    above = module.tree.parent(call)
    if isinstance(above, ast.Subscript) and above.value is call:
        return isinstance(above.slice, ast.Constant) and above.slice.value == 1
    return isinstance(above, ast.Attribute) and above.attr == "indices"
