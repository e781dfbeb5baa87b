"""The edits that fixes are made of. Each gives None where the text is not of a kind that it can change cleanly."""

from __future__ import annotations

import ast

from whygrad.lint.edits import Edit, delete, insert, replace
from whygrad.lint.module import Module
from whygrad.lint.source import Span

_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def replaced_by_part(module: Module, node: ast.expr, part: ast.expr) -> Edit:
    """``node`` becomes one of its own parts, in parentheses where it needs some."""
    text = module.source.segment(part)
    around = module.tree.parent(node)
    alone = isinstance(around, ast.stmt | ast.keyword) or (
        isinstance(around, ast.Call) and node in around.args
    )
    plain = isinstance(part, _SIMPLE) or (
        alone and "\n" not in text and not isinstance(part, ast.NamedExpr | ast.GeneratorExp)
    )
    return replace(module.source.span(node), text if plain else f"({text})")


def removed(module: Module, statement: ast.stmt) -> Edit | None:
    """The statement's lines are taken away; None if something else stands on them (a comment, too), or in its block nothing."""
    source = module.source
    span = source.span(statement)
    lines = source.lines[statement.lineno - 1 : statement.end_lineno]
    start = source.offset(statement.lineno, 0)
    end = start + sum(map(len, lines))
    rest = source.text[start : span.start] + source.text[span.end : end]
    if rest.strip() or _alone(module, statement) or "#" in "".join(lines):
        return None
    return delete(Span(start, end))


def _alone(module: Module, statement: ast.stmt) -> bool:
    around = module.tree.parents[statement]
    blocks = [getattr(around, name, None) for name in ("body", "orelse", "finalbody")]
    return any(isinstance(block, list) and block == [statement] for block in blocks)


def line_before(module: Module, statement: ast.stmt, text: str) -> Edit | None:
    """A new line with its indentation before the statement; None if that does not begin its line."""
    indent = indentation(module, statement)
    if indent is None:
        return None
    return insert(module.source.offset(statement.lineno, 0), f"{indent}{text}{_end(module, statement)}")


def line_after(module: Module, statement: ast.stmt, text: str) -> Edit | None:
    """A new line with its indentation after the statement (a block: after its last line); None as above, or if something
    but a comment stands behind it."""
    indent = indentation(module, statement)
    last = statement.end_lineno or statement.lineno
    line = module.source.line(last)
    behind = line[len(line.encode()[: statement.end_col_offset].decode("utf-8", "ignore")) :].strip()
    if indent is None or (behind and not behind.startswith("#")):
        return None
    whole = module.source.lines[last - 1]
    start = "" if whole.endswith(("\n", "\r")) else _end(module, statement)
    return insert(
        module.source.offset(last, 0) + len(whole), f"{start}{indent}{text}{_end(module, statement)}"
    )


def indentation(module: Module, statement: ast.stmt) -> str | None:
    """The white space before a statement; None if something else stands there."""
    line = module.source.line(statement.lineno)
    before = line.encode()[: statement.col_offset].decode("utf-8", "ignore")
    if statement.lineno > 1 and module.source.line(statement.lineno - 1).endswith("\\"):
        return None
    return before if not before.strip() else None


def _end(module: Module, statement: ast.stmt) -> str:
    """The end of line that is used there."""
    line = module.source.lines[statement.lineno - 1]
    return line[len(line.rstrip("\r\n")) :] or "\n"


def argument_added(module: Module, call: ast.Call, text: str) -> Edit | None:
    """A last argument in a call: ``softmax(x)`` becomes ``softmax(x, dim=-1)``."""
    source = module.source
    end = source.span(call).end - 1
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not parts:
        between = source.text[source.span(call.func).end + 1 : end]
        return insert(end, text) if not between.strip() else None
    last = max(source.span(part).end for part in parts)
    behind = source.text[last:end]
    if behind.strip(" \t\r\n),") or "#" in behind:
        return None
    closing = behind.count(")")  # parentheses around the last argument
    at = last if not closing else last + behind.rindex(")") + 1
    comma = "," in source.text[at:end]
    return insert(at + source.text[at:end].index(",") + 1, f" {text}") if comma else insert(at, f", {text}")


def argument_removed(module: Module, call: ast.Call, keyword: ast.keyword) -> Edit | None:
    """A keyword argument taken away, with the comma before it; None for the first argument."""
    source = module.source
    others = [*call.args, *(k.value for k in call.keywords)]
    before = [source.span(o).end for o in others if source.span(o).end <= source.span(keyword).start]
    if not before:
        return None
    span = Span(max(before), source.span(keyword).end)
    return (
        delete(span) if source.text[span.start : source.span(keyword).start].strip(" \t\r\n") == "," else None
    )
