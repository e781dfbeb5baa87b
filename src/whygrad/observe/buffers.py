"""Arrays that a dataset keeps, hands out and writes to again, read from the source."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

import torch

from whygrad.observe.containers import attributes, contents
from whygrad.observe.datasets import DEPTH, MANY, functions_of
from whygrad.observe.definitions import called_name, function_of, place
from whygrad.observe.frames import Stacks


def buffers(stacks: Stacks, dataset: Any) -> list[int]:
    """Where an array that a dataset (or a transform of it) keeps is handed out and written to, read from the source."""
    found: list[int] = []
    queue = [(dataset, 0)]
    seen: set[int] = set()
    while queue and len(seen) < MANY:
        value, depth = queue.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        arrays = [
            n
            for n, v in attributes(value).items()
            if type(v) is torch.Tensor or type(v).__name__ == "ndarray"
        ]
        if arrays:
            found += _kept_arrays(stacks, value, set(arrays))
        if (depth < DEPTH and not arrays) or value is dataset:
            queue += [
                (v, depth + 1)
                for _, _, v in contents(value)
                if type(v) not in (int, float, str, torch.Tensor)
            ]
    return found


def _kept_arrays(stacks: Stacks, owner: Any, arrays: set[str]) -> list[int]:
    written: dict[str, tuple[CodeType, int]] = {}
    nodes = [
        (f.__code__, n) for f in functions_of(owner) if (n := function_of(stacks, f.__code__)) is not None
    ]
    for code, node in nodes:
        for inner in ast.walk(node) if node.name != "__init__" else ():
            for target in _written_by(inner):
                if (name := _attribute(target)) in arrays:
                    written.setdefault(name, (code, inner.lineno))  # type: ignore[attr-defined]
    out = []
    for code, node in nodes:
        aliases = {
            t.id
            for n in ast.walk(node)
            if isinstance(n, ast.Assign) and _attribute(n.value) in written
            for t in n.targets
            if isinstance(t, ast.Name)
        }
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return) and inner.value is not None:
                used = {_attribute(n) for n in ast.walk(inner.value) if isinstance(n, ast.Attribute)} & set(
                    written
                )
                named = {n.id for n in ast.walk(inner.value) if isinstance(n, ast.Name)} & aliases
                if used or named:
                    out.append(place(stacks, code, inner.lineno))
    return out + [place(stacks, *where) for where in written.values()]


def _written_by(node: ast.AST) -> list[ast.expr]:
    """What a statement or a call writes into."""
    if isinstance(node, ast.Assign):
        return [t.value for t in node.targets if isinstance(t, ast.Subscript)]
    if isinstance(node, ast.AugAssign):
        return [node.target.value if isinstance(node.target, ast.Subscript) else node.target]
    if isinstance(node, ast.Call):
        out = [k.value for k in node.keywords if k.arg == "out"]
        if isinstance(node.func, ast.Attribute) and (
            node.func.attr.endswith("_") or node.func.attr == "fill"
        ):
            out.append(node.func.value)
        if called_name(node) == "copyto" and node.args:
            out.append(node.args[0])
        return out
    return []


def _attribute(node: ast.AST) -> str:
    """``a`` of ``self.a`` (also with an index behind it)."""
    while isinstance(node, ast.Subscript):
        node = node.value
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if own and isinstance(node, ast.Attribute) else ""
