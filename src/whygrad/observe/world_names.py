"""The nodes of a file's syntax tree that speak of ranks, found in one walk: calls, products, slices, and the variables that
hold the rank or the number of ranks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from whygrad.observe.definitions import called_name

_RANK_VARIABLES, _WORLD_VARIABLES = (
    ("RANK", "LOCAL_RANK"),
    ("WORLD_SIZE",),
)  #: what torchrun puts into the environment


class Nodes:
    """One file. ``names``: every name and attribute that stands in it."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.calls: list[ast.Call] = []
        self.products: list[ast.BinOp | ast.AugAssign] = []
        self.slices: list[ast.Subscript] = []
        self.assigned: list[ast.Assign] = []
        self.names: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                self.calls.append(node)
            elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, (ast.Div, ast.Mult)):
                self.products.append(node)
            elif isinstance(node, ast.Subscript):
                self.slices.append(node)
            elif isinstance(node, ast.Assign):
                self.assigned.append(node)
            self.names.add(name_of(node))
        self._worlds = set(self._holding(_tells_world, "world_size"))
        self._ranks = set(self._holding(_tells_rank, "rank"))

    def is_world(self, node: ast.AST) -> bool:
        """Whether an expression is the number of ranks (or a product with it)."""
        inner = list(ast.walk(node))
        if any(isinstance(n, ast.BinOp) and not isinstance(n.op, ast.Mult) for n in inner):
            return False
        return any(_tells_world(n) or name_of(n) in self._worlds for n in inner)

    def tells_rank(self, node: ast.AST) -> bool:
        """Whether an expression depends on the rank."""
        return any(_tells_rank(n) or name_of(n) in self._ranks for n in ast.walk(node))

    def around(self, line: int) -> list[ast.AST]:
        """The nodes around a line, from the outermost inwards."""
        found: list[ast.AST] = []
        node: ast.AST | None = self.tree
        while node is not None:
            node = next((c for c in ast.iter_child_nodes(node) if covers(c, line)), None)
            found += [] if node is None else [node]
        return found

    def _holding(self, tells: Callable[[ast.AST], bool], keyword: str) -> Iterator[str]:
        """Variables and attributes that hold what ``tells`` knows, or are given to ``init_process_group`` as ``keyword``."""
        for call in self.calls:
            if called_name(call) == "init_process_group":
                yield from (name_of(k.value) for k in call.keywords if k.arg == keyword and name_of(k.value))
        for node in self.assigned:
            for target in node.targets:
                targets, values = [target], [node.value]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    targets, values = list(target.elts), list(node.value.elts)
                for one, value in zip(targets, values, strict=False):
                    if name_of(one) and any(tells(n) for n in ast.walk(value)):
                        yield name_of(one)


def name_of(node: ast.AST) -> str:
    """The name of a variable, or of an attribute."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def covers(node: ast.AST, line: int) -> bool:
    """Whether a node stands on a line."""
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return bool(first and last and first <= line <= last)


def _tells_world(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and called_name(node) == "get_world_size":
        return True
    return isinstance(node, ast.Constant) and node.value in _WORLD_VARIABLES


def _tells_rank(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and called_name(node) in ("get_rank", "get_node_local_rank"):
        return True
    return isinstance(node, ast.Constant) and node.value in _RANK_VARIABLES
