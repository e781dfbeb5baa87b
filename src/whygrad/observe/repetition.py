"""Modules that fill several places of a container, by one expression of the source."""

from __future__ import annotations

import ast
import re

from whygrad import trace as t
from whygrad.observe.frames import Stacks
from whygrad.observe.later_loads import statement_at
from whygrad.observe.naming_source import last, plain
from whygrad.observe.second_names import Names, at

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CONTAINERS = ("ModuleList", "Sequential", "ModuleDict")
_SHARED = re.compile(r"shar(e|ing)|\btied|tie_|tying|albert|universal|recurrent|recursive", re.IGNORECASE)


def repeated(names: Names) -> tuple[t.Repeated, ...]:
    """Modules with parameters that one expression put into several places of one container."""
    found: dict[int, t.Repeated] = {}
    for placed in names.seen.modules.placed:
        module = placed.ref()
        if module is None or len(placed.parents) < 2:
            continue
        by_parent: dict[int, list[int]] = {}
        for parent, _, stack in placed.parents:
            if parent.kind in _CONTAINERS and parent.ref() is not None:
                by_parent.setdefault(id(parent), []).append(stack)
        for places in by_parent.values():
            params = names.params(module) if len(places) > 1 else ()
            told = _repetition(names.stacks, places[0]) if params else None
            if told is not None and told[0] not in found:
                made = names.seen.modules.where_made(module)
                found[told[0]] = t.Repeated(told[0], made, placed.kind, len(places), told[1], told[2], params)
    return tuple(found.values())


def _repetition(stacks: Stacks, stack: int) -> tuple[int, str, bool] | None:
    """Where and how the source repeats one module, and whether it speaks of sharing."""
    for frame in stacks.stacks[stack] if stack >= 0 else ():
        code, line = stacks.place_of(frame)
        tree = stacks.trees[code.co_filename]
        if tree is None:
            continue
        scope, owner = _around(tree, line)
        for node in sorted((n for n in ast.walk(scope) if hasattr(n, "lineno")), key=lambda n: -n.lineno):
            end = statement_at(tree, line)
            if node.lineno > (end.end_lineno or line if end is not None else line):
                continue
            text = _repeats(node)
            if text:
                about = ast.unparse(owner)
                place = at(stacks, code.co_filename, node.lineno)
                return place, text, bool(_SHARED.search(about))
    return None


def _repeats(node: ast.AST) -> str:
    """``[layer] * n``, ``[layer for _ in ...]`` and ``layers.append(layer)`` in a loop that does not make it."""
    times = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    if times and (isinstance(node.left, ast.List) or isinstance(node.right, ast.List)):  # type: ignore[attr-defined]
        return ast.unparse(node)
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and plain(node.elt):
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        return "" if ast.unparse(node.elt).split(".")[0] in targets else ast.unparse(node)
    if isinstance(node, ast.For):
        made = {ast.unparse(x) for s in ast.walk(node) if isinstance(s, ast.Assign) for x in s.targets}
        made |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        for call in ast.walk(node):
            if not isinstance(call, ast.Call) or last(ast.unparse(call.func)) != "append":
                continue
            if len(call.args) == 1 and plain(call.args[0]):
                return "" if ast.unparse(call.args[0]) in made else ast.unparse(call)
    return ""


def _around(tree: ast.Module, line: int) -> tuple[ast.AST, ast.AST]:
    """The function around a line, and the class around that (or the function itself)."""
    scope: ast.AST = tree
    owner: ast.AST | None = None
    for node in ast.walk(tree):
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and node.lineno <= line <= (node.end_lineno or 0):
            if isinstance(node, ast.ClassDef):
                owner = node
            else:
                scope = node
    if owner is None:
        owner = scope if scope is not tree else (statement_at(tree, line) or tree)
    return scope, owner
