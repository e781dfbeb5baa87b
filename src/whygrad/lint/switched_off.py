"""Functions that run with gradients switched off, and the trained modules that run nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.dead_ends import FREEZING, DeadEnd
from whygrad.lint.held import NOT_TRAINED
from whygrad.lint.module import Module
from whygrad.lint.values import bind

#: What may be asked of a module without running it.
_QUIET = frozenset(
    {
        "parameters",
        "named_parameters",
        "train",
        "eval",
        "state_dict",
        "load_state_dict",
        "zero_grad",
        "to",
        "cuda",
        "cpu",
    }
)


def handed_over(module: Module) -> Iterator[DeadEnd]:
    """Modules of an optimizer that are only ever given to a function of the file which runs them under ``no_grad``, while
    a loss is computed from what it returns."""
    if FREEZING.search(module.source.text):
        return
    held = {one.name for one in module.held if one.name.isidentifier() and not NOT_TRAINED.search(one.name)}
    if not held:
        return
    for call in module.calls():
        if call not in module.in_losses or not isinstance(call.func, ast.Name):
            continue
        for name, off in _run_by(module, call):
            if name.id in held and _only_there(module, name, call.func.id):
                yield DeadEnd(name.id, call, off)


def _run_by(module: Module, call: ast.Call) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The arguments that the function called runs as modules under ``no_grad``, each with that ``no_grad``."""
    found = module.callee(call)
    bound = bind(found[1], call, method=False) if found is not None and found[0] is module else None
    if found is None or not bound:
        return
    inner = [node for node in module.body_nodes(found[1]) if isinstance(node, ast.Call)]
    for parameter, given in bound.items():
        runs = [node for node in inner if isinstance(node.func, ast.Name) and node.func.id == parameter]
        off = [module.grad_disabled(node) for node in runs]
        if isinstance(given, ast.Name) and off and all(off) and off[0] is not None:
            yield given, off[0]


def _only_there(module: Module, name: ast.Name, function: str) -> bool:
    """Whether nothing else in the file may run the object of that name."""
    for use in module.nodes(ast.Name):
        if use.id != name.id or not isinstance(use.ctx, ast.Load):
            continue
        if module.tree.scope(use) is not module.tree.scope(name):
            return False
        above = module.tree.parent(use)
        quiet = isinstance(above, ast.Attribute) and above.attr in _QUIET
        given = (
            isinstance(above, ast.Call) and use in above.args and getattr(above.func, "id", "") == function
        )
        if not quiet and not given:
            return False
    return True
