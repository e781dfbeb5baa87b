"""What the source says of a choice that nobody made: a freeze that follows from the default of an argument.

``Encoder(dim)`` with ``def __init__(self, dim, freeze=True)`` froze its weights without being asked to; with
``Encoder(dim, freeze=True)`` somebody wanted it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from whygrad.observe.frames import Stacks

Place = tuple[str, int]
Decided = tuple[
    str, int, int
]  #: file and line of a default, and the level of the stack at which it was decided
_DEPTH = 6  #: steps from a test to the argument that decides it
_UNKNOWN = object()


class Defaults:
    """Answers for one run."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks

    def _everywhere(self) -> Iterator[tuple[str, ast.Module]]:
        for file in self._stacks.user_files():
            tree = self._stacks.trees[file]
            if tree is not None:
                yield file, tree

    def deciding(self, stack: Sequence[Place]) -> Decided | None:
        """The default value that decided that the innermost place of ``stack`` ran as it did."""
        function = self._function(stack[0]) if stack else None
        for test in _tests(function, stack[0][1]) if function else ():
            found = self._resolve(test, stack, 0, _DEPTH)
            if found is not None:
                return found
        return None

    # -- what an expression goes back to ---------------------------------------------------------------

    def _resolve(
        self, expression: ast.expr, stack: Sequence[Place], level: int, depth: int
    ) -> Decided | None:
        for node in ast.walk(expression) if depth else ():
            found = None
            if isinstance(node, ast.Name):
                found = self._argument(node.id, stack, level, depth)
            elif (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
            ):
                found = self._own_attribute(node.attr, stack, level, depth)
            elif isinstance(node, ast.Attribute):
                found = self._field(node.attr, level)
            if found is not None:
                return found
        return None

    def _argument(self, name: str, stack: Sequence[Place], level: int, depth: int) -> Decided | None:
        """An argument of the function at ``level``: left to its default, or what a caller passed for it."""
        function = self._function(stack[level])
        for position, (argument, default) in enumerate(_arguments(function) if function else ()):
            if argument != name:
                continue
            passed = self._passed(name, position, stack, level)
            if isinstance(passed, tuple):
                return self._resolve(passed[0], stack, passed[1], depth - 1)
            chosen = passed is None and default is not None and _chooses(default)
            return (stack[level][0], default.lineno, level) if chosen and default is not None else None
        return None

    def _passed(self, name: str, position: int, stack: Sequence[Place], level: int) -> object:
        """The expression passed for an argument and the level that it belongs to; None: nothing was passed."""
        call = self._call(stack, level)
        if call is None:
            return _UNKNOWN
        for keyword in call.keywords:
            if keyword.arg == name:
                return keyword.value, level + 1
        given = call.args[: position + 1]
        if any(isinstance(a, ast.Starred) for a in given):
            return _UNKNOWN
        if 0 <= position < len(given):
            return given[position], level + 1
        spread = next((k.value for k in call.keywords if k.arg is None), None)
        if spread is None:
            return None
        outer = self._function(stack[level + 1])
        own = outer.args.kwarg.arg if outer is not None and outer.args.kwarg else None
        if isinstance(spread, ast.Name) and spread.id == own:
            return self._passed(name, -2, stack, level + 1)
        return _UNKNOWN if self._mentioned(name) else None

    def _own_attribute(self, name: str, stack: Sequence[Place], level: int, depth: int) -> Decided | None:
        """``self.name``, as a constructor in the stack set it."""
        for above in range(level, len(stack)):
            function = self._function(stack[above])
            for node in ast.walk(function) if function is not None else ():
                targets = node.targets if isinstance(node, ast.Assign) else []
                if any(isinstance(t, ast.Attribute) and t.attr == name for t in targets):
                    return self._resolve(node.value, stack, above, depth - 1)  # type: ignore[attr-defined]
        return None

    def _field(self, name: str, level: int) -> Decided | None:
        """The default of a field of a configuration class that nothing in the source sets."""
        if self._mentioned(name):
            return None
        for file, tree in self._everywhere():
            for owner in ast.walk(tree):
                for field in owner.body if isinstance(owner, ast.ClassDef) else ():
                    named = isinstance(field, ast.AnnAssign) and getattr(field.target, "id", "") == name
                    if named and field.value is not None and _chooses(field.value):  # type: ignore[attr-defined]
                        return file, field.lineno, level
        return None

    def _mentioned(self, name: str) -> bool:
        """Whether any call or dictionary names this, or anything sets an attribute of that name."""
        return any(_says(node, name) for _, tree in self._everywhere() for node in ast.walk(tree))

    # -- places ----------------------------------------------------------------------------------------

    def _around(self, place: Place, kind: type[ast.AST] | tuple[type[ast.AST], ...]) -> list[ast.AST]:
        """Nodes of a kind around a line, from the outside in."""
        tree, line = self._stacks.trees[place[0]], place[1]
        nodes = ast.walk(tree) if tree is not None else ()
        return [n for n in nodes if isinstance(n, kind) and n.lineno <= line <= n.end_lineno]  # type: ignore[attr-defined]

    def _function(self, place: Place) -> ast.FunctionDef | None:
        found = self._around(place, (ast.FunctionDef, ast.AsyncFunctionDef))
        return found[-1] if found else None  # type: ignore[return-value]

    def _call(self, stack: Sequence[Place], level: int) -> ast.Call | None:
        """The call that ran the function at ``level``, by its name or that of its class."""
        function = self._function(stack[level])
        if function is None or level + 1 >= len(stack):
            return None
        owners = self._around(stack[level], ast.ClassDef)
        wanted = {function.name, *(o.name for o in owners[-1:])}  # type: ignore[attr-defined]
        here: list[ast.Call] = self._around(stack[level + 1], ast.Call)  # type: ignore[assignment]
        named = [c for c in here if ast.unparse(c.func).split(".")[-1] in wanted]
        return (named or here or [None])[0]  # type: ignore[list-item]


def _tests(function: ast.FunctionDef, line: int) -> Iterator[ast.expr]:
    """What decides over a line of a function: conditions around it, returns before it, its own expressions."""
    for node in ast.walk(function):
        if isinstance(node, ast.If):
            around = node.lineno <= line <= (node.end_lineno or 0)
            leaves = node.lineno < line and isinstance(node.body[-1], ast.Return)
            if around or leaves:
                yield node.test
        elif isinstance(node, (ast.Assign, ast.Expr)) and node.lineno <= line <= (node.end_lineno or 0):
            yield node.value


def _arguments(function: ast.FunctionDef) -> list[tuple[str, ast.expr | None]]:
    """Arguments with their defaults, in the order in which a call passes them (a method's first one left out)."""
    spec = function.args
    places = [*spec.posonlyargs, *spec.args]
    defaults: list[ast.expr | None] = [*([None] * (len(places) - len(spec.defaults))), *spec.defaults]
    pairs = [(a.arg, d) for a, d in zip(places, defaults, strict=True) if a.arg not in ("self", "cls")]
    return pairs + [(a.arg, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]


def _chooses(default: ast.expr) -> bool:
    """Whether a default value is a choice (None and ... leave it to others)."""
    return isinstance(default, ast.Constant) and default.value not in (None, ...)


def _says(node: ast.AST, name: str) -> bool:
    """Whether a node chooses a value for ``name``: a keyword of a call, a key, an attribute of another object."""
    if isinstance(node, ast.keyword):
        return node.arg == name
    if isinstance(node, ast.Dict):
        return any(getattr(key, "value", None) == name for key in node.keys)
    stored = isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
    return stored and getattr(node.value, "id", "") != "self"  # type: ignore[attr-defined]
