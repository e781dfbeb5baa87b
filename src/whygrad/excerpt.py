"""Lines of the user's source around a place, if the file still says what it said then."""

from __future__ import annotations

import io
import linecache
import tokenize
from pathlib import Path

from whygrad.finding import Site
from whygrad.notebooks.cells import split
from whygrad.notebooks.notebook import NotebookError, sources

_MAX_BYTES = 4_000_000


class Sources:
    """Source files, each read at most once. ``root`` is the folder that relative names start from."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or Path()
        self._lines: dict[str, list[str]] = {}

    def around(self, site: Site, context: int = 1) -> list[tuple[int, str]]:
        """The line of ``site`` and up to ``context`` lines on either side, with their numbers, common
        indentation removed. Where the file is gone or has changed, the recorded line alone; else nothing."""
        lines = self._read(site.file)
        there = lines[site.line - 1] if 0 < site.line <= len(lines) else None
        if there is None or (site.code and there.strip() != site.code.strip()):
            return [(site.line, site.code.strip())] if site.code.strip() else []
        first = max(site.line - context, 1)
        near = lines[first - 1 : site.line + context]
        chosen = [(first + i, text.expandtabs(4)) for i, text in enumerate(near)]
        # blank lines at the edges say nothing
        while chosen and not chosen[0][1].strip() and chosen[0][0] != site.line:
            del chosen[0]
        while chosen and not chosen[-1][1].strip() and chosen[-1][0] != site.line:
            del chosen[-1]
        indent = min((len(t) - len(t.lstrip()) for _, t in chosen if t.strip()), default=0)
        return [(number, text[indent:].rstrip()) for number, text in chosen]

    def line(self, file: str, line: int) -> str | None:
        """One line as it is now, with its indentation; None if it cannot be read."""
        lines = self._read(file)
        return lines[line - 1] if 0 < line <= len(lines) else None

    def _read(self, file: str) -> list[str]:
        if file not in self._lines:
            cell = split(file)
            self._lines[file] = _read(self._root / file) if cell is None else self._cell(file, *cell)
        return self._lines[file]

    def _cell(self, file: str, notebook: str, cell: str) -> list[str]:
        """The lines of a cell: of a notebook's file, or of a running kernel, which keeps them."""
        if not notebook:
            return [line.rstrip("\n") for line in linecache.getlines(file)]
        try:
            path = self._root / notebook
            cells = sources(path.read_bytes()) if path.is_file() else []
            return cells[int(cell.split()[1]) - 1].split("\n")
        except (OSError, NotebookError, ValueError, IndexError):
            return []


def _read(path: Path) -> list[str]:
    """The lines of a source file as Python would decode it; none if it is no readable, ordinary file."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return []
        data = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except (OSError, SyntaxError, ValueError):
        return []
    text = data.decode(encoding, errors="replace")
    # not splitlines: it also splits at form feeds and the like, which Python's line numbers do not count
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
