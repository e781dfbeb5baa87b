"""Writes a changed text back into its file: the same encoding, ends of lines and mode, and all of it or nothing."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from pathlib import Path

from whygrad.lint.notebook_text import with_cells
from whygrad.lint.notebooks import NOTEBOOK
from whygrad.lint.source import Source, SourceError


def rewritten(path: Path, data: bytes, before: Source, after: Source) -> bytes:
    """The bytes of the file once its code ``before`` is ``after``. Raises SourceError where they can't be written so."""
    if path.suffix == NOTEBOOK:
        return with_cells(data, before, after)
    try:
        return before.encoded(after.text)
    except UnicodeEncodeError as error:
        raise SourceError(f"its encoding, {before.encoding}, lacks a character that the fix needs") from error


def difference(name: str, before: bytes, after: bytes, encoding: str) -> str:
    """What changed, as a unified diff."""
    texts = (data.decode(encoding, "replace").splitlines(keepends=True) for data in (before, after))
    old, new = ([line if line.endswith("\n") else f"{line}\n" for line in lines] for lines in texts)
    return "".join(difflib.unified_diff(old, new, name, name))


def write(path: Path, before: bytes, after: bytes) -> str:
    """Replace the file if it still holds ``before``. Why it could not be done, or nothing."""
    path = Path(os.path.realpath(path))  # a link stays one
    try:
        if path.read_bytes() != before:
            return "it has changed meanwhile, so it was left as it is"
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(after)
            shutil.copymode(path, temporary)
            os.replace(temporary, path)  # noqa: PTH105
        except BaseException:
            os.unlink(temporary)  # noqa: PTH108
            raise
    except OSError as error:
        return f"it can't be written: {(error.strerror or str(error)).lower()}"
    return ""
