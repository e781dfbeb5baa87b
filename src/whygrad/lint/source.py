"""The text of a Python file or a notebook: read as Python reads it, with positions, and written back as it was."""

from __future__ import annotations

import ast
import bisect
import codecs
import io
import re
import tokenize
import warnings
from dataclasses import dataclass, field
from functools import cached_property

#: Larger files are generated or data; to parse one takes hundreds of times its size in memory.
MAX_BYTES = 1_000_000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class SourceError(Exception):
    """A file that can't be checked. The text says why, as the end of a sentence: ``it is no valid Python: ...``."""


@dataclass(frozen=True)
class Span:
    """A stretch of the text: offsets in characters, ``end`` excluded."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """Python code, and what is needed to write it back: its encoding and whether a byte order mark stood before it.

    ``cells`` are the first lines (counted from 1) of the notebook cells that the text was joined from, with the number
    that each cell has in the notebook; empty for a file."""

    text: str
    encoding: str = "utf-8"
    bom: bool = False
    cells: tuple[tuple[int, int], ...] = field(default=())

    @cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them, each with its end."""
        return _LINE.findall(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        starts, total = [], 0
        for line in self.lines:
            starts.append(total)
            total += len(line)
        starts.append(total)
        return starts

    def offset(self, line: int, column: int) -> int:
        """The place in the text of what ``ast`` calls a line (from 1) and a column (from 0, in bytes of UTF-8)."""
        if line > len(self.lines):
            return len(self.text)
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))
        return self._starts[line - 1] + column

    def span(self, node: ast.AST) -> Span:
        """Where an expression or a statement stands."""
        position = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return Span(self.offset(*position[:2]), self.offset(position[2] or position[0], position[3] or 0))

    def segment(self, node: ast.AST) -> str:
        """The text of an expression or a statement."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def line(self, number: int) -> str:
        """One line (from 1) without its end; empty beyond the text."""
        return self.lines[number - 1].rstrip("\r\n") if 0 < number <= len(self.lines) else ""

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a place in the text, both counted from 1, in characters."""
        line = max(bisect.bisect_right(self._starts, offset, hi=max(len(self.lines), 1)) - 1, 0)
        return line + 1, offset - self._starts[line] + 1

    def place(self, name: str, line: int) -> tuple[str, int]:
        """The file and line that a line of the text is told as: in a notebook ``name:cell 3`` and the line in that cell."""
        if not self.cells:
            return name, line
        first, number = self.cells[max(bisect.bisect_right(self.cells, (line, 1 << 60)) - 1, 0)]
        return f"{name}:cell {number}", line - first + 1

    def encoded(self, text: str) -> bytes:
        """``text`` in the encoding of this file. Raises UnicodeEncodeError where that lacks a character."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)


def decode(data: bytes) -> Source:
    """Bytes as Python would read them (PEP 263). Raises SourceError."""
    if len(data) > MAX_BYTES:
        size = f"{len(data) / 1e6:.1f} MB"
        raise SourceError(
            f"it has {size}, and files of more than {MAX_BYTES / 1e6:.0f} MB are taken for generated ones"
        )
    if b"\0" in data:
        raise SourceError("it holds null bytes, so it is no Python source")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise SourceError(f"its encoding is not known: {error}") from error
    bom = data.startswith(codecs.BOM_UTF8)
    plain = "utf-8" if encoding == "utf-8-sig" else encoding
    try:
        text = (data[3:] if bom else data).decode(plain)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SourceError(
            f"line {line} is not {plain}; save it as UTF-8, or declare its encoding in the first line"
        ) from error
    return Source(text, plain, bom)


def parse(source: Source) -> ast.Module:
    """The syntax tree. Raises SourceError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # about the user's escapes and comparisons; not what we are asked for
            return ast.parse(source.text)
    except (RecursionError, MemoryError) as error:
        raise SourceError("it is nested too deeply to be parsed") from error
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f"line {line}: " if line else ""
        raise SourceError(
            f"it is no valid Python 3: {where}{getattr(error, 'msg', None) or error}"
        ) from error
