"""Where the source loads, by its names, a state that it took elsewhere."""

from __future__ import annotations

import ast

from whygrad.observe.frames import Stacks


def loads_of(stacks: Stacks, stack: int) -> tuple[int, ...]:
    """Places that load, by its names, what was made at a place and bound to them."""
    found, names = [], _bound(stacks, stack)
    for file in stacks.user_files() if names else ():
        tree = stacks.trees[file]
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Call) or not node.args or _called(node) != "load_state_dict":
                continue
            if names & _identifiers(node.args[0]) and "load(" not in ast.unparse(node.args[0]):
                found.append(stacks.intern((stacks.place(file, node.lineno, ""),)))
    return tuple(found)


def _bound(stacks: Stacks, stack: int) -> set[str]:
    """Names that the value made at a place is bound to, through the functions that return it."""
    for frame in stacks.stacks[stack] if stack >= 0 else ():
        code, line = stacks.place_of(frame)
        statement = statement_at(stacks.trees[code.co_filename], line)
        if isinstance(statement, ast.Assign):
            return {n for target in statement.targets for n in (_base(target),) if n}
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            called = statement.value.func
            return {_base(called.value)} if isinstance(called, ast.Attribute) else set()
        if not isinstance(statement, ast.Return):
            return set()
    return set()


def statement_at(tree: ast.Module | None, line: int) -> ast.stmt | None:
    """The innermost simple statement that covers a line."""
    best: ast.stmt | None = None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            best = node
    return best


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _base(node: ast.expr) -> str:
    """``best`` of ``best["model"]``, ``self.best`` and ``best``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _identifiers(node: ast.expr) -> set[str]:
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return names | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
