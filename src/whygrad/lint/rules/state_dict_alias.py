"""The static half of ``whygrad.rules.state_dict_alias``, which has the page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whygrad.lint.edits import Fix, replace
from whygrad.lint.flow import chain
from whygrad.lint.hits import Hit
from whygrad.lint.module import Module

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_TRAINING = re.compile(r"(^|_)(train|fit)(_|$)")


def check(module: Module) -> Iterator[Hit]:
    """The state of the best model kept without a copy: when it is loaded, it holds the newest weights."""
    for load, receiver in module.method_calls("load_state_dict"):
        owner = chain(receiver)
        if not owner or not load.args or not isinstance(load.args[0], ast.Name | ast.Attribute):
            continue
        for value in module.origins(load.args[0]):
            call = value.node
            if (
                value.module is not module
                or not isinstance(call, ast.Call)
                or not isinstance(call.func, ast.Attribute)
            ):
                continue
            loop = next((above for above in module.tree.above(call) if isinstance(above, _LOOPS)), None)
            inside = loop is not None and loop in module.tree.above(load)
            if call.func.attr != "state_dict" or chain(call.func.value) != owner or loop is None or inside:
                continue
            if module.category(call.func.value) == "optimizer" or not _trains(module, call):
                continue
            yield Hit(
                call,
                f"state_dict() refers to the weights themselves, which go on changing: what is loaded later is the last {owner}",
                "Keep a copy: copy.deepcopy(model.state_dict()).",
                link=9,
                role="not copied",
                also=((load, "loaded"),),
                edits=_copied(module, call),
            )


def _trains(module: Module, call: ast.Call) -> bool:
    """Whether the loops around it train: a backward, a step, or a call of a function whose name says so."""
    for above in module.tree.above(call):
        if isinstance(above, _LOOPS):
            names = [_called(node) for node in ast.walk(above) if isinstance(node, ast.Call)]
            if any(name in ("backward", "step") or _TRAINING.search(name) for name in names):
                return True
    return False


def _called(call: ast.Call) -> str:
    """The name of the function that is called; not that of ``model.train()``, which only sets a mode."""
    mode = isinstance(call.func, ast.Attribute) and call.func.attr == "train" and not call.args
    return "" if mode else getattr(call.func, "attr", "") or getattr(call.func, "id", "")


def _copied(module: Module, call: ast.Call) -> Fix:
    text = module.source.segment(call)
    return Fix(
        (replace(module.source.span(call), f"{{name: value.clone() for name, value in {text}.items()}}"),)
    )
