"""Which modules the optimizers of a file hold, as far as the source shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whygrad.lint import kinds
from whygrad.lint.classes import ClassInfo
from whygrad.lint.flow import chain

if TYPE_CHECKING:
    from whygrad.lint.kinds import Instance
    from whygrad.lint.module import Module

_LISTS = ("parameters", "named_parameters")
#: Names of modules that are updated by other means, or not at all.
NOT_TRAINED = re.compile(
    r"target|teacher|ema|momentum|frozen|pretrain|(^|_)(ref|old|prev|best|avg|average|swa)(_|$|erence)|copy"
)


@dataclass(frozen=True, eq=False)
class Held:
    """``owner.parameters()`` in the arguments of an optimizer. ``name`` is the owner as text, empty if it is no name."""

    optimizer: ast.Call
    owner: ast.expr
    name: str
    instance: Instance | None


def optimizers(module: Module) -> Iterator[ast.Call]:
    """The calls that make optimizers."""
    if not module.mentions("optim", ".step("):
        return
    for call in module.calls():
        name = module.dotted(call.func)
        if name.startswith("torch.optim.") or not name:
            found = module.instance(call)
            if found is not None and found.category == "optimizer" and found.call is call:
                yield call


def held(module: Module) -> list[Held]:
    """What the optimizers of the file hold, where it is written as ``module.parameters()``."""
    found = []
    for optimizer in optimizers(module):
        first = (
            optimizer.args[0]
            if optimizer.args
            else next((k.value for k in optimizer.keywords if k.arg == "params"), None)
        )
        if first is None:
            continue
        seen: set[ast.AST] = set()
        for value in module.upstream(first):
            call = value.node
            method = (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr in _LISTS
            )
            if method and value.module is module and call not in seen:
                assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)  # noqa: PT018
                seen.add(call)
                owner = call.func.value
                found.append(Held(optimizer, owner, chain(owner), module.instance(owner)))
    return found


def held_classes(module: Module, held: list[Held]) -> set[ast.ClassDef]:
    """The classes of this project whose parameters those optimizers hold: the owners' and those of their attributes."""
    classes: set[ast.ClassDef] = set()
    queue = [one.instance for one in held]
    while queue and len(classes) < 50:
        instance = queue.pop()
        if (
            instance is None
            or instance.info is None
            or instance.home is None
            or instance.info.node in classes
        ):
            continue
        classes.add(instance.info.node)
        for home, info in _with_bases(instance.home, instance.info):
            for name, assignments in info.attributes.items():
                if not NOT_TRAINED.search(name):
                    queue += [
                        home.instance(a.value)
                        for a in assignments
                        if a.value is not None and a.how == "value"
                    ]
    return classes


def _with_bases(home: Module, info: ClassInfo) -> Iterator[tuple[Module, ClassInfo]]:
    yield home, info
    for base, where in kinds.bases(home, info):
        if isinstance(base, ClassInfo):
            yield where, base
