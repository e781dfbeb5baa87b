"""Whether a number that a script computes is better when it is greater or when it is smaller, as its source tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

_GREATER = re.compile(
    r"(^|_)(val|test|valid|dev|best|mean|avg|top\d|cur|current)*(acc|accuracy|accs|f1|f\d|auc|auroc|map|iou|miou|dice|"
    r"score|scores|bleu|rouge|r2|precision|recall|psnr|ssim|reward|rewards|returns?|kappa|correct|hits|ndcg|mrr)\d*(_|$)",
    re.IGNORECASE,
)
_SMALLER = re.compile(
    r"(^|_)(val|test|valid|dev|train|running|total|epoch|best|mean|avg)*(loss|losses|criterion|error|err|rmse|mse|mae|"
    r"nll|bce|perplexity|ppl|entropy|cer|wer|distance)(_|$)",
    re.IGNORECASE,
)
_COUNTS = {"eq", "argmax", "topk"}
_DEPTH = 4


class Direction:
    """Answers for the user's files."""

    def __init__(self, trees: Iterable[ast.Module | None]) -> None:
        self._values: dict[str, list[ast.expr]] = {}
        self._returns: dict[str, list[ast.expr]] = {}
        for tree in trees:
            for node in ast.walk(tree) if tree is not None else ():
                self._read(node)

    def of(self, given: ast.expr) -> str:
        """``max`` for something like an accuracy, ``min`` for something like a loss, empty where it can't be told."""
        return self._of(given, _DEPTH, frozenset())

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    self._returns.setdefault(node.name, []).append(inner.value)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AugAssign):
            self._bind(node.target, node.value)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple):
            pairs = value.elts if isinstance(value, ast.Tuple) else [None] * len(target.elts)
            if len(pairs) == len(target.elts):
                for i, (one, part) in enumerate(zip(target.elts, pairs, strict=True)):
                    self._bind(one, part or ast.Subscript(value, ast.Constant(i), ast.Load()))
        elif isinstance(target, (ast.Name, ast.Attribute)):
            self._values.setdefault(_name(target), []).append(value)

    def _of(self, node: ast.expr, depth: int, seen: frozenset[str]) -> str:
        """By its arithmetic first, then by what it was assigned, and last by its name."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return _other(self._of(node.operand, depth, seen))
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Sub) and isinstance(node.left, ast.Constant):
                return _other(self._of(node.right, depth, seen))
            if isinstance(node.op, ast.Div) and isinstance(node.left, ast.Constant):
                return _other(self._of(node.right, depth, seen))
            sides = {self._of(node.left, depth, seen), self._of(node.right, depth, seen)} - {""}
            return sides.pop() if len(sides) == 1 else ""
        if isinstance(node, ast.Compare):
            equal = all(isinstance(o, ast.Eq) for o in node.ops)
            return "max" if equal else "min" if all(isinstance(o, ast.NotEq) for o in node.ops) else ""
        if isinstance(node, ast.Subscript):
            return self._part(node, depth, seen)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._named(node, depth, seen)
        return self._called(node, depth, seen) if isinstance(node, ast.Call) else ""

    def _part(self, node: ast.Subscript, depth: int, seen: frozenset[str]) -> str:
        """An entry: of a tuple that a function returns, or of a dictionary, by its key."""
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(key, str):
            return _by_name(key)
        if isinstance(key, int) and isinstance(node.value, ast.Call) and depth:
            told = set()
            for value in self._returns.get(_name(node.value.func), ()):
                if isinstance(value, ast.Tuple) and -len(value.elts) <= key < len(value.elts):
                    told.add(self._of(value.elts[key], depth - 1, seen))
            return told.pop() if len(told) == 1 else ""
        return self._of(node.value, depth, seen)

    def _named(self, node: ast.expr, depth: int, seen: frozenset[str]) -> str:
        name = _name(node)
        told: set[str] = set()
        if depth and name not in seen:
            told = {self._of(v, depth - 1, seen | {name}) for v in self._values.get(name, ())} - {""}
        by_name = _by_name(name)
        if len(told) == 1:
            found = told.pop()
            return found if by_name in ("", found) else ""
        return "" if told else by_name

    def _called(self, node: ast.Call, depth: int, seen: frozenset[str]) -> str:
        name = _name(node.func)
        if name in self._returns and depth:
            told = {self._of(v, depth - 1, seen) for v in self._returns[name]} - {""}
            if len(told) == 1:
                return told.pop()
        if name in _COUNTS:
            return "max" if name == "eq" else ""
        by_name = _by_name(name)
        # a function `dice` that returns 1 - overlap: its name may tell of what it was made from
        if by_name == "max" and any(_turned(value) for value in self._returns.get(name, ())):
            return ""
        if by_name:
            return by_name
        # the mean of something, the number of something, something.item()
        inner = [*node.args[:1]]
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
            inner = [node.func.value, *inner]
        elif isinstance(node.func, ast.Attribute):
            inner = [node.func.value] if not node.args or name in ("mean", "sum", "item") else inner
        told = {self._of(one, depth, seen) for one in inner} - {""}
        return told.pop() if len(told) == 1 else ""


def _turned(node: ast.expr) -> bool:
    """Whether an expression is a number minus something, or minus something."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Sub) and isinstance(node.left, ast.Constant)
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _by_name(name: str) -> str:
    greater, smaller = bool(_GREATER.search(name)), bool(_SMALLER.search(name))
    return "" if greater == smaller else "max" if greater else "min"


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _other(direction: str) -> str:
    return {"max": "min", "min": "max"}.get(direction, "")
