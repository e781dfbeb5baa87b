"""The static half of ``whygrad.rules.module_alias``, which has the page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_COPIES = re.compile(
    r"(^|_)(target|teacher|ema|momentum|key)(_|$)|_(target|teacher|ema|tgt)\w*$|^target", re.IGNORECASE
)


def check(module: Module) -> Iterator[Hit]:
    """A second name for a network where a copy was meant, into which the network's weights are loaded later."""
    for statement in module.nodes(ast.Assign):
        source, targets = chain(statement.value), [chain(target) for target in statement.targets]
        if not source or _COPIES.search(source.rpartition(".")[2]):
            continue
        for target in targets:
            copies = _COPIES.search(target.rpartition(".")[2]) if target else None
            loads = list(_loads(module, target, source)) if copies else []
            if loads and module.category(statement.value) == "module":
                yield Hit(
                    statement,
                    f"{target} is {source} itself, not a copy: it changes with every step, and loading into it does nothing",
                    f"{target} = copy.deepcopy({source})",
                    link=10,
                    role="same object",
                    also=((loads[0], "loaded"),),
                )


def _loads(module: Module, target: str, source: str) -> Iterator[ast.Call]:
    """The calls ``target.load_state_dict(source.state_dict())``."""
    for load, receiver in module.method_calls("load_state_dict"):
        given = load.args[0] if load.args else None
        if (
            chain(receiver) != target
            or not isinstance(given, ast.Call)
            or not isinstance(given.func, ast.Attribute)
        ):
            continue
        if given.func.attr == "state_dict" and chain(given.func.value) == source:
            yield load
