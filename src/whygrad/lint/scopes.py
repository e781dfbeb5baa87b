"""Scopes of names, and what may define a name in them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
ScopeNode = ast.Module | ast.ClassDef | Function

#: How a name got its value. ``value``: it is that expression; ``part``: an element of it, by unpacking;
#: ``element``: an element of what is iterated over; ``augment``: changed by ``op=``; ``context``: entered by ``with``.
How = Literal[
    "value", "part", "element", "augment", "context", "parameter", "import", "function", "class", "other"
]


@dataclass(frozen=True, eq=False)
class Definition:
    """One place that gives ``name`` (``loss``, or ``self.loss``) a value. ``node`` is the statement or the parameter."""

    name: str
    how: How
    node: ast.AST
    value: ast.expr | None = None
    index: int | None = None


@dataclass(eq=False)
class Scope:
    """A module, class or function, and the names that are bound in it."""

    node: ScopeNode
    parent: Scope | None = None
    bound: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)  # declared global or nonlocal

    @property
    def is_function(self) -> bool:
        """Whether it is the body of a function or lambda."""
        return isinstance(self.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)

    def binding(self, name: str) -> Scope | None:
        """The scope in which ``name``, used here, is bound; None if it is not bound in this file."""
        scope: Scope | None = self
        while scope is not None:
            # a class's names are not seen from its methods
            seen = scope is self or not isinstance(scope.node, ast.ClassDef)
            if seen and name in scope.bound and name not in scope.outer:
                return scope
            scope = scope.parent
        return None


def arguments(function: Function) -> list[ast.arg]:
    """All parameters of a function, in order."""
    spec = function.args
    named = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    return named + [arg for arg in (spec.vararg, spec.kwarg) if arg is not None]
