"""What the source says of things that never ran: an optimizer's ``step()`` behind a condition that never held."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator


class Missed:
    """A call that stands in the source and never ran, and the condition around it (0: none)."""

    def __init__(self, line: int, guard: int, text: str) -> None:
        self.line, self.guard, self.text = line, guard, text


def unreached_steps(tree: ast.Module | None, line: int, names: set[str]) -> list[Missed]:
    """``<name>.step(...)`` (``name`` ends in one of ``names``; the call may be missing) or ``scaler.step(<name>)``
    in the function or module body that ``line`` (where backward ran) lies in, nearest to it first."""
    if tree is None:
        return []
    scope = _scope(tree, line)
    found = []
    for method, args, guards in _methods(scope, []):
        if method.attr == "step" and _among([method.value, *args], names):
            guard = next((g for g in reversed(guards) if not _holds(g, line)), None)
            text = ast.unparse(guard.test) if guard else ""
            found.append(Missed(method.end_lineno or method.lineno, guard.lineno if guard else 0, text))
    return sorted(found, key=lambda m: abs(m.line - line))


def misspelt(name: str) -> bool:
    """Whether an attribute's name looks like a misspelt ``requires_grad``."""
    return name != "requires_grad" and difflib.SequenceMatcher(None, name, "requires_grad").ratio() > 0.85


def assignments(tree: ast.Module | None, attribute: str) -> list[int]:
    """Lines that assign to ``<anything>.<attribute>``."""
    return [
        node.lineno
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == attribute
    ]


def item_assignments(tree: ast.Module | None, key: str) -> list[int]:
    """Lines that assign to ``<anything>[key]``."""
    targets = [
        (node.lineno, target)
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, (ast.Assign, ast.AugAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return [
        line for line, t in targets if isinstance(t, ast.Subscript) and getattr(t.slice, "value", None) == key
    ]


def idle_statements(tree: ast.Module | None, name: str) -> list[tuple[int, str]]:
    """Statements that only look as if they set ``<anything>.<name>``: a comparison, a method without its call."""
    found = []
    for node in ast.walk(tree) if tree else ():
        value = node.value if isinstance(node, ast.Expr) else None
        compared = value.left if isinstance(value, ast.Compare) else None
        if (isinstance(compared, ast.Attribute) and compared.attr == name) or (
            isinstance(value, ast.Attribute) and value.attr == f"{name}_"
        ):
            found.append((value.lineno, ast.unparse(value)))  # type: ignore[union-attr,arg-type]
    return found


def bindings(tree: ast.Module | None, kind: str, attribute: str) -> list[int]:
    """Lines in the class ``kind`` that bind ``<self>.<attribute>`` or put something into it."""
    lines: list[int] = []
    for owner in ast.walk(tree) if tree else ():
        if not isinstance(owner, ast.ClassDef) or owner.name != kind:
            continue
        for node in ast.walk(owner):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
                targets = [node.target]
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                # self.layers.append(...), but not self.layers(...)
                targets = [node.value.func.value] if isinstance(node.value.func, ast.Attribute) else []
            if any(_names(target, attribute, node in owner.body) for target in targets):
                lines.append(targets[0].lineno)
    return sorted(lines)


def _names(target: ast.expr, attribute: str, at_class_level: bool) -> bool:
    while isinstance(target, ast.Subscript):
        target = target.value
    if isinstance(target, ast.Tuple):
        return any(_names(t, attribute, at_class_level) for t in target.elts)
    if at_class_level:
        return isinstance(target, ast.Name) and target.id == attribute
    return isinstance(target, ast.Attribute) and target.attr == attribute


def _among(receivers: list[ast.expr], names: set[str]) -> bool:
    return any(ast.unparse(r).split(".")[-1] in names or ast.unparse(r) in names for r in receivers)


def _scope(tree: ast.Module, line: int) -> ast.AST:
    best: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= line <= (
            node.end_lineno or 0
        ):
            best = node  # ast.walk goes outside in: the last match is the innermost
    return best


def _methods(
    node: ast.AST, guards: list[ast.If]
) -> Iterator[tuple[ast.Attribute, list[ast.expr], list[ast.If]]]:
    """Methods that are called, or only named in a statement of their own, with the conditions around them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            yield child.func, child.args, guards
        elif isinstance(child, ast.Expr) and isinstance(child.value, ast.Attribute):
            yield child.value, [], guards
        inner = [*guards, child] if isinstance(child, ast.If) else guards
        yield from _methods(child, inner)


def _holds(guard: ast.If, line: int) -> bool:
    """Whether ``line`` (which did run) lies inside the guard too, so that the guard is not what held the call back."""
    return any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in guard.body)
