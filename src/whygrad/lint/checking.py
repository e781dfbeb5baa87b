"""Checks one file: finds the rules, runs them, and turns what they yield into findings."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import shlex
import traceback
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from whygrad.finding import Finding, Site
from whygrad.lint.edits import Fix, by_line
from whygrad.lint.hits import Hit
from whygrad.lint.module import Context, Module
from whygrad.lint.notebooks import NOTEBOOK, from_notebook
from whygrad.lint.project import Project
from whygrad.lint.source import Source, SourceError, decode, parse
from whygrad.lint.tree import Tree
from whygrad.rule_pages import in_source_only
from whygrad.suppression import asks_to_ignore

RULES = "whygrad.lint.rules"
Check = Callable[[Module], Iterator[Hit]]
#: A file without any of these words has nothing in it that a rule could see: torch is imported, or a loss goes backward.
_MARKS = ("torch", "backward", "lightning", "requires_grad", "zero_grad")


class Checked(msgspec.Struct, frozen=True):
    """What came of one file. ``problem`` says why it could not be checked, else it is empty; ``failures`` are sentences
    about rules that failed."""

    file: str
    findings: tuple[Finding, ...] = ()
    problem: str = ""
    failures: tuple[str, ...] = ()


def slugs() -> tuple[str, ...]:
    """The rules' names, without importing them."""
    package = importlib.import_module(RULES)
    names = (i.name for i in pkgutil.iter_modules(package.__path__) if not i.name.startswith("_"))
    return tuple(sorted(name.replace("_", "-") for name in names))


def checks(chosen: Collection[str]) -> dict[str, Check]:
    """The rules of these names."""
    return {
        slug: importlib.import_module(f"{RULES}.{slug.replace('-', '_')}").check
        for slug in slugs()
        if slug in chosen
    }


def read_bytes(path: Path) -> bytes:
    """What a file holds. Raises SourceError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"it can't be read: {(error.strerror or str(error)).lower()}") from error


def to_source(path: Path, data: bytes) -> Source:
    """The code of a Python file or notebook that holds ``data``. Raises SourceError."""
    return from_notebook(data) if path.suffix == NOTEBOOK else decode(data)


def check_source(path: Path, name: str, source: Source, rules: dict[str, Check], project: Project) -> Checked:
    """Check the code of a file, called ``name`` in the findings. Raises SourceError and RecursionError for code that
    can't be checked."""
    hits, failures = run(path, source, rules, project)
    findings = tuple(_finding(source, name, tree, slug, hit) for tree, slug, hit in hits)
    return Checked(name, findings, failures=tuple(failures))


def run(
    path: Path, source: Source, rules: dict[str, Check], project: Project
) -> tuple[list[tuple[Tree, str, Hit]], list[str]]:
    """What the rules see in a text, by place, and a sentence about each rule that failed. Raises SourceError."""
    root = parse(source)
    if not any(mark in source.text for mark in _MARKS):
        return [], []
    tree = Tree(path.resolve(), source, root)
    project.keep(tree.path, tree)
    context = Context(project)
    module = Module(tree, context)
    hits: list[tuple[Tree, str, Hit]] = []
    failures = []
    for slug, check in rules.items():
        try:
            hits += [(tree, slug, hit) for hit in check(module)]
        except RecursionError:
            raise
        except Exception as error:  # a fault of one rule must not hide what the others see
            failures.append(_failure(slug, error))
    context.forget()
    hits.sort(key=lambda item: _place(item[2].node))
    return hits, failures


def _failure(slug: str, error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"the rule {slug} failed ({type(error).__name__}: {error}, {Path(frame.filename).name}:{frame.lineno})"


def _place(node: ast.AST) -> tuple[int, int]:
    """Line and column; of a method call that goes over several lines those of the method's name, as in a traceback."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.end_lineno or node.lineno, node.func.end_col_offset or 0
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _finding(source: Source, name: str, tree: Tree, slug: str, hit: Hit) -> Finding:
    places = [(hit.node, hit.role), *hit.also]
    return Finding(
        rule=slug,
        severity=hit.severity,
        title=hit.title,
        link=hit.link,
        causes=tuple(_site(source, name, tree, node, role) for node, role in places),
        evidence={"seen": "in the source", "confirm": _confirming(name, tree, slug)},
        fix=hit.fix,
        edits=tuple(_edits(source, name, hit.edits)),
        suppressed=suppressed(source, tree, slug, hit),
    )


def _confirming(name: str, tree: Tree, slug: str) -> str:
    """The command that shows whether a training really does what the source seems to say."""
    runs = any(isinstance(s, ast.For | ast.While | ast.With | ast.If) or _is_call(s) for s in tree.root.body)
    chosen = "" if slug in in_source_only() else f" --select {slug}"
    return f"whygrad run{chosen} {shlex.quote(name) if runs else 'SCRIPT'}"


def _is_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def _site(source: Source, name: str, tree: Tree, node: ast.AST, role: str) -> Site:
    line = _place(node)[0]
    file, number = source.place(name, line)
    return Site(file, number, tree.qualified(node), source.line(line).strip(), role)


def _edits(source: Source, name: str, fix: Fix | None) -> Iterator[dict[str, Any]]:
    """The edits of a fix as the report holds them, line by line; none where they don't fit the text."""
    if fix is None:
        return
    for line, old, new in by_line(source, fix.edits):
        file, number = source.place(name, line)
        yield {"file": file, "line": number, "old": old, "new": new, "safe": fix.safe}


def suppressed(source: Source, tree: Tree, slug: str, hit: Hit) -> bool:
    """Whether a comment asks to ignore it: on the first line of one of its places, or the first or last of a statement."""
    lines: set[int] = set()
    for node in (hit.node, *(place for place, _ in hit.also)):
        lines.add(_place(node)[0])
        statement = tree.statement(node) if isinstance(node, ast.expr | ast.stmt) else None
        if statement is not None and not hasattr(statement, "body"):
            lines |= {statement.lineno, statement.end_lineno or statement.lineno}
    return any(asks_to_ignore(source.line(line), slug) for line in lines)
