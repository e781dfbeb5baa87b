"""Slices in a loop that take the same rows every time, although the source says that they should move."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import CodeType
from typing import TypeGuard

import msgspec

from whygrad import trace as t
from whygrad.observe.definitions import function_of
from whygrad.observe.frames import Stacks

_FIXED_AFTER = 3


def marked(stacks: Stacks, feds: Sequence[t.Fed]) -> list[t.Fed]:
    """The same, with ``fixed_slice`` where a new slice was made in each pass, always of the same rows, and the loop around
    it counts batches."""
    by_place: dict[tuple[int, str], list[t.Fed]] = {}
    for fed in feds:
        by_place.setdefault((fed.stack, fed.role), []).append(fed)
    verdicts: dict[int, bool] = {}
    out = []
    for fed in feds:
        family = by_place[fed.stack, fed.role]
        same = len(family) >= _FIXED_AFTER and len({(f.store, f.offset, f.content) for f in family}) == 1
        anew = len({f.made for f in family}) == len(family)
        if same and anew and fed.store >= 0 and fed.created >= 0:
            if fed.created not in verdicts:
                verdicts[fed.created] = _should_move(stacks, fed.created)
            out.append(msgspec.structs.replace(fed, fixed_slice=verdicts[fed.created]))
        else:
            out.append(fed)
    return out


def _should_move(stacks: Stacks, stack: int) -> bool:
    """Whether the slice at a place stands in a loop over batches whose counter it does not use."""
    code, line = stacks.place_of(stacks.stacks[stack][0])
    scope: ast.AST | None = (
        stacks.trees[code.co_filename] if code.co_name == "<module>" else function_of(stacks, code)
    )
    if scope is None:
        return False
    cut = _slice_at(scope, line)
    if cut is None:
        return False
    names = {n.id for n in ast.walk(cut.slice) if isinstance(n, ast.Name)}
    loops = [n for n in ast.walk(scope) if isinstance(n, (ast.For, ast.While)) and _around(n, line)]
    if not loops:
        return _unused_argument(scope, cut)
    inner = loops[-1]
    if isinstance(inner, ast.For) and any(
        _over_batches(x) for x in _spelt_out(stacks, code, scope, inner, cut)
    ):
        return not {n.id for n in ast.walk(inner.target) if isinstance(n, ast.Name)} & names
    given = (
        {a.arg for a in scope.args.args}
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef))
        else set()
    )
    return _moving_bounds(cut) and not names & (_stored(loops[0]) | given)


def _slice_at(scope: ast.AST, line: int) -> ast.Subscript | None:
    found = None
    for node in ast.walk(scope):
        if isinstance(node, ast.Subscript) and node.lineno <= line <= (node.end_lineno or 0):
            part = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            if isinstance(part, ast.Slice) and part.upper is not None:
                found = node
    return found


def _around(node: ast.AST, line: int) -> bool:
    body = getattr(node, "body", [])
    return bool(body) and body[0].lineno <= line <= (getattr(node, "end_lineno", 0) or 0)


def _spelt_out(
    stacks: Stacks, code: CodeType, scope: ast.AST, loop: ast.For, cut: ast.Subscript
) -> list[ast.expr]:
    """What a loop goes over, and the same with a name replaced by what it is bound to: ``range(batches)``, where
    ``batches = n // size`` and the slice is as long as ``size``."""
    if not _is_range(loop.iter) or len(loop.iter.args) != 1:
        return [loop.iter]
    names = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
    around = ast.iter_child_nodes(stacks.trees[code.co_filename] or scope)
    bounds = {ast.unparse(n) for n in ast.walk(cut.slice) if isinstance(n, ast.expr)}
    made: list[ast.expr] = []
    for node in [*ast.walk(scope), *around]:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.BinOp):
            continue
        if ast.unparse(node.value.right) not in bounds:
            continue
        if {n.id for n in node.targets if isinstance(n, ast.Name)} & names:
            made.append(ast.Call(ast.Name("range", ast.Load()), [node.value], []))
    return [loop.iter, *made]


def _is_range(node: ast.expr) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("range", "trange")
    )


def _over_batches(iterated: ast.expr) -> bool:
    """``range(0, n, size)``, ``range(n // size)``, ``range(ceil(n / size))``."""
    for node in ast.walk(iterated):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("range", "trange")
        ):
            if len(node.args) == 3 and not (
                isinstance(node.args[2], ast.Constant) and node.args[2].value == 1
            ):
                return True
            return any(
                isinstance(n, ast.BinOp) and isinstance(n.op, (ast.FloorDiv, ast.Div)) for n in ast.walk(node)
            )
    return False


def _moving_bounds(cut: ast.Subscript) -> bool:
    """``[i : i + size]``: both bounds go by the same variable."""
    part = cut.slice.elts[0] if isinstance(cut.slice, ast.Tuple) else cut.slice
    if not isinstance(part, ast.Slice) or part.lower is None or part.upper is None:
        return False
    lower = {n.id for n in ast.walk(part.lower) if isinstance(n, ast.Name)}
    upper = {n.id for n in ast.walk(part.upper) if isinstance(n, ast.Name)}
    return bool(lower & upper)


def _stored(loop: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _unused_argument(scope: ast.AST, cut: ast.Subscript) -> bool:
    """A function ``get_batch(i)`` that never looks at its only argument."""
    if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    arguments = [a.arg for a in scope.args.args if a.arg not in ("self", "cls")]
    used = {n.id for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return len(arguments) == 1 and arguments[0] not in used and bool(cut)
