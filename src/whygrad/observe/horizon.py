"""How often the loops around a running place will come to it, as far as their bounds tell without running anything."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, Subset, TensorDataset

from whygrad.observe.containers import attributes
from whygrad.observe.frames import Stacks
from whygrad.observe.variables import variables_of

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_WRAPPERS = {"enumerate", "tqdm", "trange", "list", "iter", "track"}
_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip


def planned(stacks: Stacks, frame: FrameType | None) -> tuple[int, int]:
    """The product of the lengths of all loops of the user's around the place that runs; 0 if one is not known. Then the
    same with the samples of each DataLoader in the place of its batches."""
    total, samples, loops = 1, 1, 0
    while frame is not None:
        code = frame.f_code
        tree = stacks.trees[code.co_filename] if stacks.is_user(code) else None
        around = _around(tree, frame.f_lineno) if tree is not None else []
        if around:
            scope = {**frame.f_globals, **variables_of(frame)}
            for loop in around:
                length = _length(loop.iter, scope) if isinstance(loop, ast.For) else 0
                total *= length
                samples *= (_samples(loop.iter, scope) if isinstance(loop, ast.For) else 0) or length
                loops += 1
        frame = frame.f_back
    return (total, samples) if loops else (0, 0)


def rounds(stacks: Stacks, frame: FrameType | None) -> int:
    """How often the loops around the ``for`` statement that runs will come to it; 0 if that is not known."""
    total, head = 1, True
    while frame is not None:
        code = frame.f_code
        if stacks.is_user(code):
            tree = stacks.trees[code.co_filename]
            around = _around(tree, frame.f_lineno) if tree is not None else []
            if (
                head
                and around
                and isinstance(around[-1], ast.For)
                and frame.f_lineno <= _ends(around[-1].iter)
            ):
                around.pop()
            head = False
            if around:
                scope = {**frame.f_globals, **variables_of(frame)}
                for loop in around:
                    total *= _length(loop.iter, scope) if isinstance(loop, ast.For) else 0
        frame = frame.f_back
    return total


def _ends(node: ast.expr) -> int:
    return node.end_lineno or node.lineno


def _around(tree: ast.Module, line: int) -> list[ast.AST]:
    found: list[ast.AST] = []
    node: ast.AST | None = tree
    while node is not None:
        if isinstance(node, _SCOPES):
            found = []
        elif isinstance(node, _LOOPS):
            found.append(node)
        node = next(
            (
                c
                for c in ast.iter_child_nodes(node)
                if getattr(c, "lineno", line + 1) <= line <= (getattr(c, "end_lineno", 0) or 0)
            ),
            None,
        )
    return found


def _length(node: ast.expr, scope: dict[str, Any]) -> int:
    """Length of what a loop iterates over."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("range", "trange") and node.args:
            bounds = [_number(a, scope) for a in node.args[:2]]
            if None in bounds or len(node.args) > 2:
                return 0
            return max(0, (bounds[1] or 0) - (bounds[0] or 0) if len(bounds) > 1 else bounds[0] or 0)
        return _length(node.args[0], scope) if name in _WRAPPERS and node.args else 0
    return _size(_value(node, scope))


def _samples(node: ast.expr, scope: dict[str, Any]) -> int:
    """Samples of the DataLoader that a loop goes over; 0 if it goes over anything else."""
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    loader = _value(node, scope)
    return _size(loader.dataset) if type(loader) is DataLoader else 0


def _number(node: ast.expr, scope: dict[str, Any]) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        one, two = _number(node.left, scope), _number(node.right, scope)
        return None if one is None or two is None else _ARITHMETIC[type(node.op)](one, two)
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args:
        return _size(_value(node.args[0], scope)) or None
    value = _value(node, scope)
    return value if type(value) is int else None


def _value(node: ast.expr, scope: dict[str, Any]) -> Any:
    """The value of a variable or of an attribute that is stored in an object; None if it is anything else."""
    if isinstance(node, ast.Name):
        return scope.get(node.id)
    if isinstance(node, ast.Attribute):
        return attributes(_value(node.value, scope)).get(node.attr)
    return None


def _size(value: Any) -> int:
    """Its length, if no code of the user's must run to know it; 0 otherwise."""
    kind = type(value)
    if kind in (list, tuple, dict, range):
        return len(value)
    if kind is TensorDataset:
        return int(value.tensors[0].shape[0]) if type(value.tensors[0]) is torch.Tensor else 0
    if kind is Subset:
        return _size(value.indices)
    if kind is not DataLoader or type(value.batch_sampler) is not BatchSampler:
        return 0
    sampler = value.batch_sampler
    if type(sampler.sampler) not in (RandomSampler, SequentialSampler):
        return 0
    count, size = _size(value.dataset), sampler.batch_size
    return count // size if sampler.drop_last else -(-count // size)
