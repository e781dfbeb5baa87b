"""Jupyter notebooks as scripts: their code cells as Python, line for line.

Only the file is read (nbformat 4, https://nbformat.readthedocs.io/en/latest/format_description.html); neither IPython nor
Jupyter is needed. What is IPython's and not Python's becomes a line of Python in its place, so that line numbers hold.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from dataclasses import dataclass

#: Magics around code: the code is run, the rest of the line is not ours to do.
_AROUND = frozenset({"time", "timeit", "prun", "capture", "whygrad"})
#: Magics that show something or set up the session; nothing that is computed depends on them.
_SILENT = frozenset({"autoreload", "config", "colors", "load_ext", "matplotlib", "pdb", "pprint", "precision",
                     "reload_ext", "unload_ext", "who", "whos", "whygrad", "xmode"})  # fmt: skip
_TEXT_CELLS = frozenset({"html", "javascript", "js", "latex", "markdown", "svg"})
_ESCAPED = re.compile(r"(?P<target>[\w.\[\], ]+=\s*)?(?P<sign>!!?|%)(?P<rest>.*)", re.DOTALL)
_MAGIC = re.compile(r"(?P<name>[\w.]+)\s*(?P<rest>.*)", re.DOTALL)
_HELP = re.compile(r"\?{1,2}[\w.*%]+|%{0,2}[\w.*\[\]]+\?{1,2}")


class NotebookError(Exception):
    """The notebook cannot be used; the text is the reason, without the name of the file."""


@dataclass(frozen=True)
class Cell:
    """A cell: its ``source``, and the same as Python. ``left_out``: the lines that are not run, with their numbers."""

    number: int
    source: str
    code: str
    left_out: tuple[tuple[int, str], ...] = ()


def sources(data: bytes) -> list[str]:
    """The source of every code cell that holds anything, in order. Raises NotebookError."""
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotebookError("it is not JSON, so it is no notebook") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        old = isinstance(notebook, dict) and "worksheets" in notebook
        raise NotebookError(
            "it has the format of before 2015; convert it: jupyter nbconvert --to notebook"
            if old
            else "it holds no cells, so it is no notebook"
        )
    texts = [
        _text(cell.get("source"))
        for cell in cells
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]
    return [text for text in texts if text.strip()]


def cells(data: bytes) -> list[Cell]:
    """All code cells as Python. Raises NotebookError."""
    found = sources(data)
    if not found:
        raise NotebookError("it has no code cell, so there is nothing to run")
    return [_python(number, source) for number, source in enumerate(found, 1)]


def _text(source: object) -> str:
    """The text of a cell, which is a string or a list of lines."""
    text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _python(number: int, source: str) -> Cell:
    lines = source.split("\n")
    left_out: list[tuple[int, str]] = []
    first = next(index for index, line in enumerate(lines) if line.strip())
    while lines[first].startswith("%%"):
        match = _MAGIC.match(lines[first][2:].strip())
        name, rest = (match["name"], match["rest"]) if match else ("", "")
        if name not in _AROUND:
            body = lines[first + 1 :]
            if name == "writefile":
                written = [_writefile(rest, "\n".join(body) + "\n")]
            else:
                written = []
                left_out = [] if name in _TEXT_CELLS else [(first + 1, lines[first].strip())]
            return Cell(number, source, "\n".join(["" for _ in lines[:first]] + written), tuple(left_out))
        lines[first] = ""
        first = next((index for index, line in enumerate(lines) if line.strip()), len(lines) - 1)
    if not _parses("\n".join(lines)):
        left_out = _replace(lines)
    return Cell(number, source, "\n".join(lines), tuple(left_out))


def _replace(lines: list[str]) -> list[tuple[int, str]]:
    """Replace IPython's own lines by Python in place; what is left out."""
    left_out: list[tuple[int, str]] = []
    index = 0
    while index < len(lines):
        end, line = index + 1, lines[index].strip()
        match = _ESCAPED.fullmatch(line)
        if (match or _HELP.fullmatch(line)) and _between_statements(lines[:index]):
            indent = lines[index][: len(lines[index]) - len(lines[index].lstrip())]
            while lines[end - 1].endswith("\\") and end < len(lines):
                end += 1
            text = " ".join(part.strip().rstrip("\\").strip() for part in lines[index:end])
            new, told = _instead(text)
            lines[index:end] = [indent + new, *("" for _ in lines[index + 1 : end])]
            if told:
                left_out.append((index + 1, text))
        index = end
    return left_out


def _instead(text: str) -> tuple[str, bool]:
    """The Python for one line of IPython's, and whether that leaves out something that may matter."""
    match = _ESCAPED.fullmatch(text)
    if match is None:  # help
        return "pass", False
    target = match["target"] or ""
    if match["sign"] != "%":
        return (f"{target}[]" if target else "pass"), True
    magic = _MAGIC.match(match["rest"].strip())
    name, rest = (magic["name"], magic["rest"].strip()) if magic else ("", "")
    if name in _AROUND and rest and _parses(rest):
        return target + rest, False
    if name == "cd" and rest and not rest.startswith("-"):
        folder = rest.strip("\"'")
        return f"__import__('os').chdir(__import__('os').path.expanduser({folder!r}))", False
    if name in ("env", "set_env") and (setting := re.fullmatch(r"(\w+)(?:\s*=\s*|\s+)(.+)", rest)):
        return f"__import__('os').environ[{setting[1]!r}] = {setting[2].strip()!r}", False
    return (f"{target}None" if target else "pass"), name not in _SILENT


def _writefile(arguments: str, body: str) -> str:
    """``%%writefile [-a] FILE``."""
    words = arguments.split()
    mode = "a" if words[:1] in (["-a"], ["--append"]) else "w"
    file = words[-1].strip("\"'") if words else ""
    return f"with open(__import__('os').path.expanduser({file!r}), {mode!r}) as _whygrad_file: _whygrad_file.write({body!r})"


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _between_statements(before: list[str]) -> bool:
    """Whether a new statement may begin after these lines: no bracket, string or continued line is open."""
    if before and before[-1].endswith("\\"):
        return False
    try:
        for _ in tokenize.generate_tokens(io.StringIO("\n".join(before) + "\n").readline):
            pass
    except tokenize.TokenError:
        return False
    except SyntaxError:  # odd indentation: an error of the cell's own, which is told when it is compiled
        return True
    return True
