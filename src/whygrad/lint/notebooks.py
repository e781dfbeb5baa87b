"""Notebooks: the code cells joined to one text, line for line what they are in the notebook.

``whygrad.notebooks.notebook`` says what becomes of the lines that are IPython's own."""

from __future__ import annotations

from whygrad.lint.source import MAX_BYTES, Source, SourceError
from whygrad.notebooks.notebook import NotebookError, cells

NOTEBOOK = ".ipynb"
_MAX = 20 * MAX_BYTES  # pictures among the outputs are not code


def from_notebook(data: bytes) -> Source:
    """The code of a notebook, cell after cell, as one text. Raises SourceError."""
    if len(data) > _MAX:
        raise SourceError(
            f"it has {len(data) / 1e6:.0f} MB, and notebooks of more than {_MAX / 1e6:.0f} MB are left out"
        )
    try:
        found = cells(data)
    except NotebookError as error:
        raise SourceError(str(error)) from error
    text, starts, line = [], [], 1
    for cell in found:
        code = cell.code + "\n"
        if "\0" in code:
            raise SourceError("it holds null bytes, so it is no Python source")
        text.append(code)
        starts.append((line, cell.number))
        line += code.count("\n")
    joined = "".join(text)
    if len(joined) > MAX_BYTES:
        raise SourceError(f"its code has {len(joined) / 1e6:.1f} MB, so it is taken for a generated one")
    return Source(joined, cells=tuple(starts))
