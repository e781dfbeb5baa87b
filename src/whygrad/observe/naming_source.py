"""What the source does with names of modules: hands one on to another, averages two, keeps the best, calls them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_READERS = {"parameters", "named_parameters", "state_dict"}
_WRITES = re.compile(r"(copy|lerp|mul|add|sub)_\(|\.data\s*[-+*]?=")
Place = tuple[str, int]
Lines = tuple[str, int, int]
Trees = dict[str, ast.Module]


def assignments(trees: Trees) -> Iterator[tuple[str, ast.Assign, str, str]]:
    """Assignments of one plain name or attribute to another."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and plain(node.value):
                for target in node.targets:
                    if plain(target) and other(target, node.value):
                        yield file, node, ast.unparse(target), ast.unparse(node.value)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
                yield from _pairs(file, node)


def listed(trees: Trees) -> Iterator[tuple[str, ast.Assign, str, str]]:
    """``weights = [p.data for p in model.parameters()]``: the live tensors, kept under a name. Then the model."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not plain(node.targets[0]):
                continue
            source: ast.expr | None = None
            if isinstance(node.value, ast.ListComp) and _live(node.value.elt):
                source = node.value.generators[0].iter
            elif isinstance(node.value, ast.Call) and last(ast.unparse(node.value.func)) == "list":
                source = node.value.args[0] if node.value.args else None
            read = source.func if isinstance(source, ast.Call) and not source.args else None
            if isinstance(read, ast.Attribute) and read.attr == "parameters" and plain(read.value):
                yield file, node, ast.unparse(node.targets[0]), ast.unparse(read.value)


def dictionaries(trees: Trees) -> Iterator[tuple[str, ast.Assign, str, str]]:
    """``shadow = {k: v for k, v in model.state_dict().items()}``: the live tensors by their names. Then the model."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not plain(node.targets[0]):
                continue
            source: ast.expr = node.value
            if isinstance(source, ast.DictComp) and _live(source.value):
                source = source.generators[0].iter
            elif isinstance(source, ast.Call) and last(ast.unparse(source.func)) == "dict" and source.args:
                source = source.args[0]
            text = ast.unparse(source).removesuffix(".items()")
            owner, _, read = text.rpartition(".")
            if read in ("state_dict()", "named_parameters()") and owner:
                yield file, node, ast.unparse(node.targets[0]), owner


def written_by_key(tree: ast.Module | None, line: int, name: str) -> bool:
    """Whether a line writes in place to an element of something with that name: ``shadow[k].mul_(0.9)``."""
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or line):
            method = node.func
            held = method.value if isinstance(method, ast.Attribute) and method.attr.endswith("_") else None
            held = held.value if isinstance(held, ast.Attribute) and held.attr == "data" else held
            if isinstance(held, ast.Subscript) and last(ast.unparse(held.value)) == name:
                return True
    return False


def _live(element: ast.expr) -> bool:
    """``p``, ``p.data`` and ``p.detach()``."""
    if isinstance(element, ast.Call) and not element.args and isinstance(element.func, ast.Attribute):
        return element.func.attr == "detach" and plain(element.func.value)
    return plain(element)


def _pairs(file: str, node: ast.Assign) -> Iterator[tuple[str, ast.Assign, str, str]]:
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for one, value in zip(target.elts, node.value.elts, strict=False):
                if plain(one) and plain(value) and other(one, value):
                    yield file, node, ast.unparse(one), ast.unparse(value)


def copying(tree: ast.Module | None, line: int) -> tuple[str, str] | None:
    """The two names of ``a.load_state_dict(b.state_dict())`` at a line."""
    for node in ast.walk(tree) if tree is not None else ():
        if (
            isinstance(node, ast.Call)
            and node.lineno <= line <= (node.end_lineno or line)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "load_state_dict"
            and node.args
            and isinstance(node.args[0], ast.Call)
            and isinstance(node.args[0].func, ast.Attribute)
            and node.args[0].func.attr == "state_dict"
        ):
            return ast.unparse(node.func.value), ast.unparse(node.args[0].func.value)
    return None


def averaged(trees: Trees, name: str, old: str) -> Lines | None:
    """A loop over the parameters of both names that writes, or a dictionary made of both states."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.For):
                both = {name, old} <= _read_whole(node.iter) and bool(_WRITES.search(ast.unparse(node)))
            else:
                both = isinstance(node, ast.DictComp) and {name, old} <= _read_whole(node)
            if both and isinstance(node, (ast.For, ast.DictComp)):
                return file, node.lineno, node.end_lineno or node.lineno
    return None


def loop_around(tree: ast.Module, node: ast.stmt) -> ast.For | ast.While | None:
    """The innermost loop around a statement, in its own function."""
    best: ast.For | ast.While | None = None
    inner = 0
    for one in ast.walk(tree):
        if not isinstance(one, (ast.For, ast.While, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if one.lineno >= inner and _covers(one, node):
            inner, best = one.lineno, one if isinstance(one, (ast.For, ast.While)) else None
    return best


def _covers(outer: ast.stmt, inner: ast.stmt) -> bool:
    return outer.lineno <= inner.lineno and (inner.end_lineno or inner.lineno) <= (outer.end_lineno or 0)


def _bound_in(loop: ast.For | ast.While) -> set[str]:
    """What a loop binds, tuples taken apart."""
    targets = [x for n in ast.walk(loop) if isinstance(n, ast.Assign) for x in n.targets]
    targets += [n.target for n in ast.walk(loop) if isinstance(n, ast.For)]
    parts = [e for x in targets for e in (x.elts if isinstance(x, (ast.Tuple, ast.List)) else [x])]
    return {ast.unparse(x) for x in parts}


def kept_as_best(tree: ast.Module, node: ast.Assign, name: str, old: str) -> bool:
    """``if score > best: best = score; best_model = model``, with a later use of the new name. A loop that makes
    ``model`` anew each time chooses among models."""
    loop = loop_around(tree, node)
    if loop is not None and old in _bound_in(loop):
        return False
    for guard in ast.walk(tree):
        if not isinstance(guard, ast.If) or node not in guard.body:
            continue
        tests = [x for x in ast.walk(guard.test) if isinstance(x, ast.Compare)]
        compared = {ast.unparse(x) for test in tests for x in (test.left, *test.comparators)}
        kept = {ast.unparse(x) for s in guard.body if isinstance(s, ast.Assign) for x in s.targets}
        used = any(
            ast.unparse(n) == name and n.lineno > (node.end_lineno or node.lineno)
            for n in ast.walk(tree)
            if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)
        )
        return bool(compared & kept) and used
    return False


def calls_of(trees: Trees, name: str) -> set[Place]:
    """The lines at which a name is called."""
    return {
        (file, line)
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and plain(node.func) and last(ast.unparse(node.func)) == name
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _read_whole(node: ast.AST) -> set[str]:
    """Last names of things whose parameters are read."""
    return {
        last(ast.unparse(n.func.value))
        for n in ast.walk(node)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _READERS
    }


def plain(node: ast.expr) -> bool:
    """Whether an expression is a name or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def other(one: ast.expr, two: ast.expr) -> bool:
    """Whether the last names differ: ``self.model = model`` only hands it on."""
    return last(ast.unparse(one)) != last(ast.unparse(two))


def last(text: str) -> str:
    """``c`` of ``a.b.c``."""
    return text.rsplit(".", maxsplit=1)[-1]
