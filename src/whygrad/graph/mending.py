"""Edits of single lines that take a cause away, where the line itself says clearly enough what is to be left out.

An edit is ``file``, ``line``, ``old`` (the line as recorded, without indentation) and ``new`` (what it becomes; empty: it
goes). None is ``safe``: each changes what the program computes, that is its sense. Where a line is only a part of a
statement, or holds more than one candidate, nothing is proposed.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from whygrad.finding import Site

#: What needs no parentheses wherever it is put.
_CLOSED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Tuple, ast.Dict)


def without(sites: Iterable[Site], *names: str) -> tuple[dict[str, Any], ...]:
    """For each place whose line applies one of ``names`` exactly once: the line without it. ``names`` are methods
    (``x.detach()``), attributes (``x.data``) or functions of modules (``F.softmax(x, dim=1)``)."""
    return tuple(edit for site in sites for edit in _without(site, names))


def registered_list(sites: Iterable[Site]) -> tuple[dict[str, Any], ...]:
    """For each place that assigns a plain list of modules on one line: the list in an ``nn.ModuleList``, under the name
    by which the line knows ``nn``."""
    return tuple(edit for site in sites for edit in _listed(site))


def method_for_assignment(sites: Iterable[Site], attribute: str, method: str) -> tuple[dict[str, Any], ...]:
    """For each place ``x.attribute = value``: ``x.method(value)``."""
    return tuple(edit for site in sites for edit in _called(site, attribute, method))


def _without(site: Site, names: Collection[str]) -> Iterator[dict[str, Any]]:
    parsed = _parsed(site.code)
    if parsed is None:
        return
    spans = [span for node in ast.walk(parsed) if (span := _applied(site.code, node, names))]
    if len(spans) != 1:
        return
    start, end, kept = spans[0]
    raw = site.code.encode()
    new = (raw[:start] + kept.encode() + raw[end:]).decode()
    yield _edit(site, "" if _says_nothing(new) else new)


def _applied(code: str, node: ast.AST, names: Collection[str]) -> tuple[int, int, str] | None:
    """The bytes of ``code`` that apply one of the names, and what stands there without it."""
    end = getattr(node, "end_col_offset", None)
    if end is None:
        return None
    if isinstance(node, ast.Attribute) and node.attr in names and node.attr == "data":
        dot = _dot(code, node)
        return None if dot is None or not isinstance(node.ctx, ast.Load) else (dot, end, "")
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names):
        return None
    if isinstance(node.func.value, ast.Name) and node.func.value.id in ("F", "torch", "functional"):
        kept = ast.get_source_segment(code, node.args[0]) if node.args else None
        if kept is None or isinstance(node.args[0], ast.Starred):
            return None
        return node.col_offset, end, kept if isinstance(node.args[0], _CLOSED) else f"({kept})"
    dot = _dot(code, node.func)
    return None if dot is None else (dot, end, "")


def _dot(code: str, node: ast.Attribute) -> int | None:
    """Where the dot before an attribute stands, in bytes."""
    end = node.end_col_offset or 0
    before = code.encode()[: end - len(node.attr.encode())].rstrip()
    return len(before) - 1 if before.endswith(b".") else None


def _listed(site: Site) -> Iterator[dict[str, Any]]:
    parsed = _parsed(site.code)
    statement = parsed.body[0] if parsed else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, (ast.List, ast.ListComp)):
        return
    elements = statement.value.elts if isinstance(statement.value, ast.List) else [statement.value.elt]
    makers = {ast.unparse(e.func) if isinstance(e, ast.Call) else "" for e in elements}
    known = {maker.rpartition(".")[0] for maker in makers}
    if known in ({"nn"}, {"torch.nn"}) and all(maker.rpartition(".")[2][:1].isupper() for maker in makers):
        raw, value = site.code.encode(), statement.value
        start, end = value.col_offset, value.end_col_offset or 0
        text = b"%s.ModuleList(%s)" % (known.pop().encode(), raw[start:end])
        yield _edit(site, (raw[:start] + text + raw[end:]).decode())


def _called(site: Site, attribute: str, method: str) -> Iterator[dict[str, Any]]:
    parsed = _parsed(site.code)
    statement = parsed.body[0] if parsed else None
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target = statement.targets[0]
    if isinstance(target, ast.Attribute) and target.attr == attribute:
        owner, value = (ast.get_source_segment(site.code, n) for n in (target.value, statement.value))
        yield _edit(site, f"{owner}.{method}({value})")


def _parsed(code: str) -> ast.Module | None:
    """A line as a module of one statement; None if it is not a whole one. The header of a block counts."""
    for text in (code, f"{code} pass"):
        try:
            parsed = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        return parsed if len(parsed.body) == 1 else None
    return None


def _says_nothing(code: str) -> bool:
    """Whether a line only assigns a name to itself, or only names something."""
    parsed = _parsed(code)
    statement = parsed.body[0] if parsed else None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return ast.unparse(statement.targets[0]) == ast.unparse(statement.value)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Name, ast.Attribute))


def _edit(site: Site, new: str) -> dict[str, Any]:
    return {"file": site.file, "line": site.line, "old": site.code, "new": new, "safe": False}
