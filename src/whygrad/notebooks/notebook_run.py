"""Runs the cells of a notebook in order, as "Restart and run all" in Jupyter does, without a kernel."""

from __future__ import annotations
import __future__

import ast
import asyncio
import linecache
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from whygrad.errors import UsageError
from whygrad.notebooks.cells import cell_of, place
from whygrad.notebooks.notebook import Cell, NotebookError, cells
from whygrad.running.streams import say

#: What a ``from __future__`` leaves in a code object. (The flags of the oldest features mean other things there.)
_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names[3:])


def checked(name: str, data: bytes) -> list[Cell]:
    """The cells of the notebook ``name``, every one of which is Python. Raises UsageError, one sentence, if one is not."""
    try:
        found = cells(data)
    except NotebookError as error:
        raise UsageError(f"{name!r} cannot be run: {error}.") from error
    list(_compiled(name, found))
    return found


def run(name: str, path: str, found: Sequence[Cell], namespace: dict[str, Any]) -> None:
    """Run the cells of the notebook at ``path`` (which the user calls ``name``) in ``namespace``.

    They run in the notebook's folder, as in Jupyter, and draw plots to nowhere, for there is no page to draw them on."""
    os.chdir(os.path.dirname(path))  # noqa: PTH120
    os.environ.setdefault("MPLBACKEND", "Agg")
    # that of the interpreter reads source from files only; this one knows the lines of cells, too
    sys.excepthook = traceback.print_exception
    # what a kernel offers without an import
    namespace["display"] = lambda *objects, **_: print(*objects, sep="\n")  # noqa: T201
    left_out = [
        f"{place(cell_of(name, cell.number), n)}: {text}" for cell in found for n, text in cell.left_out
    ]
    if left_out:
        say(f"these lines are IPython's and were not run: {'; '.join(left_out)}")
    for cell in found:
        file = cell_of(path, cell.number)
        # for tracebacks, `inspect` and the observer; without a time it is never checked against a file
        linecache.cache[file] = (len(cell.code), None, [line + "\n" for line in cell.code.split("\n")], file)
    for code in _compiled(path, found):
        result = eval(code, namespace)  # noqa: S307  (running the user's notebook is what this is for)
        if asyncio.iscoroutine(result):  # the cell awaits something
            asyncio.run(result)


def _compiled(path: str, found: Sequence[Cell]) -> Iterator[CodeType]:
    """The code of each cell; a ``from __future__`` of one holds for those that follow. Raises UsageError."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for cell in found:
        name = cell_of(path, cell.number)
        try:
            code = compile(cell.code, name, "exec", flags=flags, dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            where = place(name, getattr(error, "lineno", None) or 1)
            why = getattr(error, "msg", None) or str(error)
            raise UsageError(f"{where}: {why}. Nothing was run; mend the cell and try again.") from error
        flags |= code.co_flags & _FUTURES
        yield code
