"""``torch.set_grad_enabled(False)`` as a statement that nothing takes back before the next ``backward``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.lint.module import Module

_SWITCH = ("torch.set_grad_enabled", "torch.autograd.set_grad_enabled", "torch._C._set_grad_enabled")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def left_off(module: Module) -> Iterator[tuple[ast.Call, ast.AST]]:
    """Each such statement, with a ``backward`` that runs after it."""
    switches = [c for c in module.calls(*_SWITCH) if isinstance(module.tree.parent(c), ast.Expr) and c.args]
    off = [c for c in switches if isinstance(c.args[0], ast.Constant) and c.args[0].value is False]
    on = [c for c in switches if c not in off]
    for call in off:
        if on and not _leaves_between(module, call, on):
            continue
        backward = next(
            (b for place in _places(module, call) for b in _backwards(module) if _follows(module, place, b)),
            None,
        )
        if backward is not None:
            yield call, backward


def _leaves_between(module: Module, off: ast.Call, on: list[ast.Call]) -> bool:
    """Whether the function returns, on some way, after it switched gradients off and before it switches them on."""
    function = module.tree.function(off)
    later = [c.lineno for c in on if c.lineno > off.lineno and module.tree.function(c) is function]
    if function is None or not later or len(later) != len(on):
        return False
    returns = (n for n in module.body_nodes(function) if isinstance(n, ast.Return))
    return any(off.lineno < n.lineno < min(later) and not _in_finally(module, n) for n in returns)


def _in_finally(module: Module, node: ast.AST) -> bool:
    return any(isinstance(above, ast.Try) and above.finalbody for above in module.tree.above(node))


def _places(module: Module, call: ast.Call) -> list[ast.AST]:
    """Where it runs: itself, or the calls of the function that it stands in."""
    function = module.tree.function(call)
    sites = module.call_sites(function) if function is not None else None
    return [call, *(sites or ())]


def _backwards(module: Module) -> list[ast.AST]:
    """Where ``backward`` runs: the calls themselves, and those of the functions that they stand in."""
    found: list[ast.AST] = []
    for loss in module.losses():
        found += _places(module, loss.call)
    return found


def _follows(module: Module, place: ast.AST, backward: ast.AST) -> bool:
    """Whether ``backward`` may run after ``place``: later in the same function, or in a loop around both."""
    if module.tree.scope(place) is not module.tree.scope(backward):
        return False
    if (backward.lineno, backward.col_offset) > (place.lineno, place.col_offset):  # type: ignore[attr-defined]
        return True
    around = [above for above in module.tree.above(place) if isinstance(above, _LOOPS)]
    return any(above in around for above in module.tree.above(backward))
