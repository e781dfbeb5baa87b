"""Arrays that the source shuffles one by one and then joins row by row. NumPy and ``random`` are seen from here only."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from whygrad import trace as t
from whygrad.observe.frames import Stacks
from whygrad.observe.shuffled_scope import Scope, Shuffled

_MOST = 5


def apart(stacks: Stacks) -> Iterator[t.Apart]:
    """Pairs of them in the user's files."""
    found = 0
    for file in stacks.user_files():
        tree = stacks.trees[file]
        scopes = (
            [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
            if tree
            else []
        )
        classes = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)] if tree else []
        datasets = {c.name for c in classes if any(getattr(f, "name", "") == "__getitem__" for f in c.body)}
        paired = [pair for c in classes for pair in _items(c)]
        for body, name in [(tree.body if tree else [], ""), *[(s.body, s.name) for s in scopes]]:
            for one, other, line in _pairs(Scope(body, datasets, paired)):
                places = [stacks.intern((stacks.place(file, n, name),)) for n in (one.line, other.line, line)]
                yield t.Apart(places[0], places[1], (one.name, other.name), places[2])
                found += 1
                if found >= _MOST:
                    return


def _items(owner: ast.ClassDef) -> Iterator[tuple[int, list[set[str]]]]:
    """Attributes of which ``__getitem__`` takes the same row."""
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__getitem__" and len(method.args.args) > 1:
            index = method.args.args[1].arg
            taken = [
                ast.unparse(n.value)
                for n in ast.walk(method)
                if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Name) and n.slice.id == index
            ]
            if len(set(taken)) > 1:
                yield method.lineno, [{name} for name in dict.fromkeys(taken)]


def _pairs(scope: Scope) -> Iterator[tuple[Shuffled, Shuffled, int]]:
    last = {s.name: s for s in scope.shuffled}
    for one, other in itertools.combinations(last.values(), 2):
        first, second = sorted((one.line, other.line))
        kept = any(first <= line <= second for line in scope.states)
        if one.key != other.key and one.receiver == other.receiver and not kept:
            line = _meeting(scope, one.name, other.name, second)
            if line:
                yield one, other, line
    for one in last.values():
        for name, lines in scope.assigned.items():
            before = name not in last and max(lines) < one.line and name != one.name
            if before and one.name in scope.assigned and not _kin(scope, one.name, name):
                line = _meeting(scope, one.name, name, one.line, alone=True)
                if line and not _others(scope, line, one.name, name):
                    yield one, one, line


def _kin(scope: Scope, one: str, other: str) -> bool:
    """Whether one was computed from the other, or both are indices."""
    return other in scope.roots.get(one, ()) or one in scope.roots.get(other, ())


def _others(scope: Scope, line: int, one: str, other: str) -> bool:
    """Whether still more arrays meet there: then one of them may be shuffled on purpose."""
    return any(at == line and sum(bool(p) for p in parts) > 2 for at, parts in scope.joined)


def _meeting(scope: Scope, one: str, other: str, after: int, alone: bool = False) -> int:
    for line, parts in scope.joined:
        if line > after:
            # the inputs may have been made from the labels, or the other way round
            only = [p for p in parts if (one in p) != (other in p)]
            told = all(one in p for p in parts)  # an index that all of them were taken by
            told = told and (alone or all(other in p for p in parts))
            if len(parts) > 1 and only and not told and {one, other} <= set().union(*parts):
                return line
    return 0
