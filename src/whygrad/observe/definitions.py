"""The definitions in the user's source that code objects were compiled from."""

from __future__ import annotations

import ast
from types import CodeType

from whygrad.observe.frames import Stacks

Function = ast.FunctionDef | ast.AsyncFunctionDef


def function_of(stacks: Stacks, code: CodeType) -> Function | None:
    """The definition that a code object was compiled from."""
    tree = stacks.trees[code.co_filename]
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
            if first == code.co_firstlineno:
                return node
    return None


def place(stacks: Stacks, code: CodeType, line: int) -> int:
    """A stack of one frame at a line of a function."""
    name = getattr(code, "co_qualname", code.co_name).replace("<locals>.", "")
    return stacks.intern((stacks.place(code.co_filename, line, "" if name == "<module>" else name),))


def called_name(call: ast.Call) -> str:
    """``c`` of ``a.b.c()``."""
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
