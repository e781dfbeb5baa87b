"""What the source says of calls and their arguments."""

from __future__ import annotations

import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def given_by(tree: ast.Module | None, line: int, keyword: str) -> int:
    """The line that gives a value to the variable that stands for ``keyword`` in a call at ``line``: an assignment in
    the same file, or the default of an argument of the function around it. 0: there is none, or not just one."""
    name = ""
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
            for argument in node.keywords:
                if argument.arg == keyword:
                    name = ast.unparse(argument.value).split(".")[-1]
    if not name.isidentifier() or tree is None:
        return 0
    lines = set(_defaults(tree, line, name)) or set(_assigned(tree, name))
    return lines.pop() if len(lines) == 1 else 0


def _defaults(tree: ast.Module, line: int, name: str) -> list[int]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.lineno <= line <= (node.end_lineno or node.lineno):
            args = [*node.args.posonlyargs, *node.args.args]
            given = node.args.defaults
            pairs = [*zip(args[len(args) - len(given) :], given, strict=True)]
            pairs += [
                (a, d)
                for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                if d is not None
            ]
            found += [d.lineno for a, d in pairs if a.arg == name]
    return found


def _assigned(tree: ast.Module, name: str) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if ast.unparse(target).split(".")[-1] == name
    ]


def says(tree: ast.Module | None, line: int, function: str, keyword: str, position: int) -> bool:
    """Whether a call of ``function`` at ``line`` gives an argument itself (True, too, where that can't be read)."""
    for node in ast.walk(tree) if tree else ():
        if not isinstance(node, ast.Call) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if ast.unparse(node.func).split(".")[-1] == function:
            names = {k.arg for k in node.keywords}
            return keyword in names or None in names or len(node.args) > position
    return True


def calls(tree: ast.Module | None, method: str) -> bool:
    """Whether ``<anything>.<method>()`` stands in a file, without arguments."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and not node.args
        for node in (ast.walk(tree) if tree else ())
    )
