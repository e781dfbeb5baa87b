"""Changes of a text, as stretches to replace; they are applied together or not at all."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whygrad.lint.source import Source, SourceError, Span, parse


@dataclass(frozen=True)
class Edit:
    """Replace a stretch of the text by another text."""

    span: Span
    text: str


@dataclass(frozen=True)
class Fix:
    """Edits that belong together. ``safe``: it changes nothing but the fault."""

    edits: tuple[Edit, ...]
    safe: bool = True


def replace(span: Span, text: str) -> Edit:
    """Write ``text`` instead of what stands there."""
    return Edit(span, text)


def insert(offset: int, text: str) -> Edit:
    """Write ``text`` before the character at ``offset``."""
    return Edit(Span(offset, offset), text)


def delete(span: Span) -> Edit:
    """Take away what stands there."""
    return Edit(span, "")


def chosen(fixes: Iterable[Fix]) -> tuple[int, list[Edit]]:
    """The edits of all fixes that do not touch what an earlier one changes, and of how many fixes they are. The same edit
    twice counts once."""
    taken: list[Edit] = []
    count = 0
    for fix in fixes:
        new = [edit for edit in fix.edits if edit not in taken]
        if new and not any(_touch(one.span, other.span) for one in new for other in taken):
            taken += new
            count += 1
    return count, taken


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def applied(source: Source, edits: Sequence[Edit]) -> str:
    """The text with all the edits. Raises SourceError if two overlap, one lies outside, or the result does not parse."""
    text, parts, end = source.text, [], 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if not end <= edit.span.start <= edit.span.end <= len(text):
            raise SourceError("two of its fixes overlap")
        parts += [text[end : edit.span.start], edit.text]
        end = edit.span.end
    result = "".join([*parts, text[end:]])
    parse(Source(result))
    return result


def by_line(source: Source, edits: Sequence[Edit]) -> list[tuple[int, str, str]]:
    """The edits as changes of single lines: the number of a line, what it is without its indentation, and what it
    becomes (nothing, or several lines). Raises SourceError where they can't be applied."""
    result = Source(applied(source, edits)).lines
    changes: list[tuple[int, str, str]] = []
    matcher = difflib.SequenceMatcher(None, source.lines, result, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        new = result[new_start:new_end]
        first, last = start, end - 1
        if tag == "insert":  # told as a change of the line before
            first = last = max(start - 1, 0)
            new = [*source.lines[first:start], *new]
        for number in range(first, last + 1):
            part = new[number - first :] if number == last else new[number - first : number - first + 1]
            changes.append((number + 1, source.lines[number].strip(), "".join(part).strip()))
    return changes
