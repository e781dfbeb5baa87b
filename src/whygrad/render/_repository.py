"""Places as a code host wants them: paths that start from the root of the repository."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath

from whygrad.notebooks.cells import split

WORKSPACE = "GITHUB_WORKSPACE"


@dataclass(frozen=True)
class Spot:
    """``path``: with slashes, from the repository's root where the file lies below it; empty for code that has no file.
    ``cell``: the cell of a notebook, to which ``line`` then belongs; else empty."""

    path: str
    line: int
    cell: str = ""


def spot(file: str, line: int, root: Path | None) -> Spot:
    """The place ``file:line`` of a report whose names start from ``root``.

    In a job of GitHub the repository lies in ``$GITHUB_WORKSPACE``, and whygrad may have been started below it."""
    name, cell = split(file) or (file, "")
    if not name or (name.startswith("<") and name.endswith(">")):
        return Spot("", line, cell)
    workspace = os.environ.get(WORKSPACE)
    if workspace and root is not None:
        # as text: a name from a record need not be one that the file system would take
        top = os.path.realpath(workspace).rstrip(os.sep) + os.sep
        whole = os.path.normpath(os.path.join(os.path.realpath(root), name))  # noqa: PTH118
        name = whole.removeprefix(top)
    return Spot(PurePath(name).as_posix(), line, cell)
