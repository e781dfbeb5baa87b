"""Changes the source lines of code cells in the text of a notebook, and nothing else of it, character for character."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.lint.source import Source, SourceError

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class _Item:
    """A stretch of the notebook's text with the value it stands for."""

    start: int
    end: int
    value: object


def with_cells(data: bytes, before: Source, after: Source) -> bytes:
    """The notebook with the code ``after`` in place of ``before``. Raises SourceError if it touches a line that is not
    Python, or the notebook is not laid out as usual."""
    text = data.decode("utf-8-sig")
    old, new = _by_cell(before), _split_like(before, after)
    pieces, position = [], 0
    for number, source in enumerate(_sources(text), 1):
        if old.get(number) == new.get(number):
            continue
        pieces += [text[position : source.start], _changed(text, source, old[number], new[number])]
        position = source.end
    result = "".join([*pieces, text[position:]])
    json.loads(result)
    return (b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b"") + result.encode("utf-8")


def _by_cell(source: Source) -> dict[int, list[str]]:
    """The lines of each cell, without their ends."""
    starts = [first for first, _ in source.cells] + [len(source.lines) + 1]
    lines = [line.rstrip("\r\n") for line in source.lines]
    return {number: lines[first - 1 : starts[i + 1] - 1] for i, (first, number) in enumerate(source.cells)}


def _split_like(before: Source, after: Source) -> dict[int, list[str]]:
    """The new lines by the cells of the old ones. A change that crosses two cells belongs to the first."""
    owner = {line: number for number, lines in _lines_of(before).items() for line in lines}
    cells: dict[int, list[str]] = {number: [] for _, number in before.cells}
    old, new = ([line.rstrip("\r\n") for line in source.lines] for source in (before, after))
    last = before.cells[0][1]
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        for index in range(new_start, new_end):
            if tag in ("equal", "replace") and start + index - new_start < end:
                last = owner[start + index - new_start]
            cells[last].append(new[index])
    return cells


def _lines_of(source: Source) -> dict[int, range]:
    starts = [first for first, _ in source.cells] + [len(source.lines) + 1]
    return {number: range(first - 1, starts[i + 1] - 1) for i, (first, number) in enumerate(source.cells)}


def _changed(text: str, source: _Item, old: list[str], new: list[str]) -> str:
    """The JSON of a cell's source with some of its lines replaced."""
    if isinstance(source.value, str):
        lines = source.value.split("\n")
        return _string("\n".join(_patched(lines, old, new)), text[source.start : source.end])
    items = list(_elements(text, source.start))
    lines = [str(item.value).removesuffix("\n") for item in items]
    if "".join(str(item.value) for item in items) != "\n".join(lines) + (
        "\n" if str(items[-1].value).endswith("\n") else ""
    ):
        raise SourceError("its cells are not laid out line by line, so it was not changed")
    patched = _patched(lines, old, new)
    ending = "\n" if str(items[-1].value).endswith("\n") else ""
    values = [f"{line}\n" for line in patched[:-1]] + [patched[-1] + ending] if patched else []
    known = {str(item.value): text[item.start : item.end] for item in items}
    between = text[items[0].end : items[1].start] if len(items) > 1 else ",\n" + _indent(text, items[0].start)
    written = [known.get(value) or _string(value, text[items[0].start : items[0].end]) for value in values]
    return text[source.start : items[0].start] + between.join(written) + text[items[-1].end : source.end]


def _indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line if not line.strip() else ""


def _string(value: str, like: str) -> str:
    """JSON text in the manner of the rest: beyond ASCII escaped or not."""
    return json.dumps(value, ensure_ascii=not value.isascii() and "\\u" in like)


def _patched(lines: list[str], old: list[str], new: list[str]) -> list[str]:
    """The cell's lines with the change from ``old`` to ``new``, its Python lines; those that differ must not change."""
    result: list[str] = []
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            result += lines[start:end]
        elif lines[start:end] != old[start:end]:
            raise SourceError("a fix would change a line that is IPython's own, so it was not changed")
        else:
            result += new[new_start:new_end]
    return result + lines[len(old) :]


def _sources(text: str) -> Iterator[_Item]:
    """The ``source`` of every code cell that holds anything, in order."""
    top = {str(item.value): item for item in _members(text, _skip(text, 0))}
    for cell in _elements(text, top["cells"].start):
        if not isinstance(cell.value, dict) or cell.value.get("cell_type") != "code":
            continue
        for name, item in _pairs(text, cell.start):
            if name == "source" and _joined(item.value).strip():
                yield item


def _joined(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _members(text: str, start: int) -> Iterator[_Item]:
    for name, item in _pairs(text, start):
        yield _Item(item.start, item.end, name)


def _pairs(text: str, start: int) -> Iterator[tuple[str, _Item]]:
    """The members of the object that begins at ``start``."""
    position = _skip(text, start + 1)
    while text[position] != "}":
        name, position = _DECODER.raw_decode(text, position)
        item = _item(text, _skip(text, _skip(text, position) + 1))
        yield str(name), item
        position = _skip(text, item.end)
        position = _skip(text, position + 1) if text[position] == "," else position


def _elements(text: str, start: int) -> Iterator[_Item]:
    """The elements of the array that begins at ``start``."""
    position = _skip(text, start + 1)
    while text[position] != "]":
        item = _item(text, position)
        yield item
        position = _skip(text, item.end)
        position = _skip(text, position + 1) if text[position] == "," else position


def _item(text: str, start: int) -> _Item:
    value, end = _DECODER.raw_decode(text, start)
    return _Item(start, end, value)


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match is not None
    return match.end()
