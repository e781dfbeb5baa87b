"""What a class is: its bases, methods and attributes, across the files of a project."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from whygrad.lint.scopes import Function, arguments


@dataclass(frozen=True, eq=False)
class Attribute:
    """One assignment ``self.name = value`` in a method, or ``name = value`` in the class body (``method`` is None).

    ``how``: ``value``, or ``other`` where it is not set to that very expression (``+=``, unpacking, ``del``)."""

    name: str
    value: ast.expr | None
    node: ast.stmt
    method: Function | None
    how: str = "value"


@dataclass(eq=False)
class ClassInfo:
    """A class as it stands in its file."""

    node: ast.ClassDef
    methods: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=dict)
    attributes: dict[str, list[Attribute]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name


def read(node: ast.ClassDef) -> ClassInfo:
    """Gather what a class defines."""
    info = ClassInfo(node)
    for statement in _statements(node.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            info.methods[statement.name] = statement
            for attribute in _of_method(statement):
                info.attributes.setdefault(attribute.name, []).append(attribute)
        for target, value, how in _targets(statement):
            if isinstance(target, ast.Name):
                info.attributes.setdefault(target.id, []).append(
                    Attribute(target.id, value, statement, None, how)
                )
    return info


def self_name(method: Function) -> str:
    """What a method calls its object; empty for a function without parameters and for static and class methods."""
    decorators = getattr(method, "decorator_list", [])
    if any(isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod") for d in decorators):
        return ""
    named = arguments(method)
    return named[0].arg if named else ""


def _of_method(method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Attribute]:
    this = self_name(method)
    if not this:
        return
    for statement in _statements(method.body):
        for target, value, how in _targets(statement):
            if (
                isinstance(target, ast.Attribute)
                and isinstance(target.value, ast.Name)
                and target.value.id == this
            ):
                yield Attribute(target.attr, value, statement, method, how)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """These statements and those in their blocks, without the bodies of functions and classes."""
    stack = list(reversed(body))
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        inner: list[ast.stmt] = []
        for name in ("body", "orelse", "finalbody"):
            inner += getattr(statement, name, [])
        for part in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
            inner += part.body
        stack += reversed(inner)


def _targets(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr | None, str]]:
    """What a statement assigns to, what is assigned, and whether it is just that."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _unpacked(target, statement.value)
    elif isinstance(statement, ast.AnnAssign):
        if statement.value is not None:
            yield statement.target, statement.value, "value"
    elif isinstance(statement, ast.AugAssign):
        yield statement.target, statement.value, "other"
    elif isinstance(statement, ast.For | ast.AsyncFor):
        for target, _, _ in _unpacked(statement.target, None):
            yield target, None, "other"
    elif isinstance(statement, ast.With | ast.AsyncWith):
        for item in statement.items:
            if item.optional_vars is not None:
                yield item.optional_vars, None, "other"
    elif isinstance(statement, ast.Delete):
        for target in statement.targets:
            yield target, None, "other"


def _unpacked(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[ast.expr, ast.expr | None, str]]:
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, value, "value" if value is not None else "other"
        return
    same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
    for index, item in enumerate(target.elts):
        part = value.elts[index] if same and isinstance(value, ast.Tuple | ast.List) else None
        yield from _unpacked(item.value if isinstance(item, ast.Starred) else item, part)


def assigned(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """What a statement assigns to, and the expression that it gives it, if it is just that."""
    for target, value, how in _targets(statement):
        yield target, value if how == "value" else None
