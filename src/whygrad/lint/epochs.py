"""Which loops go over epochs."""

from __future__ import annotations

import ast
import re

from whygrad.lint.module import Module
from whygrad.lint.training import Loop

_EPOCH = re.compile(r"epoch", re.IGNORECASE)


def epochs(module: Module, loop: Loop) -> list[ast.For]:
    """The loops over epochs that a loop over batches stands in, or that call its function; empty if that is not sure."""
    if loop.outer is not None:
        node = loop.outer.node
        return [node] if isinstance(node, ast.For) and is_epochs(module, node) else []
    function = module.tree.function(loop.node)
    sites = module.call_sites(function) if isinstance(function, ast.FunctionDef) else None
    found = [_around(module, call) for call in sites or ()]
    return [node for node in found if node is not None] if found and all(found) else []


def is_epochs(module: Module, node: ast.For) -> bool:
    """Whether a loop says that it goes over epochs."""
    return bool(_EPOCH.search(f"{module.source.segment(node.target)} {module.source.segment(node.iter)}"))


def _around(module: Module, call: ast.Call) -> ast.For | None:
    for above in module.tree.above(call):
        if isinstance(above, ast.For):
            return above if is_epochs(module, above) else None
        if isinstance(above, ast.FunctionDef | ast.While | ast.Lambda):
            return None
    return None
