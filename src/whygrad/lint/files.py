"""Which files are checked: those named, and the Python files and notebooks in the folders named."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from whygrad.errors import UsageError

ENDINGS = (".py", ".pyi", ".ipynb")
#: Folders that hold what others wrote, or what was made from the source.
SKIPPED = frozenset(
    {".bzr", ".direnv", ".eggs", ".git", ".hg", ".idea", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d",
     ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__", "__pypackages__", "_build",
     "buck-out", "build", "dist", "node_modules", "site-packages", "venv"}
)  # fmt: skip


@dataclass(frozen=True)
class Exclude:
    """Patterns of what is left out, as for a shell: a name (``old``), or a path from the folder ``root`` (``src/*_pb2.py``)."""

    root: Path
    patterns: tuple[str, ...] = ()

    def __call__(self, path: Path) -> bool:
        """Whether a file or folder is left out."""
        if not self.patterns:
            return False
        where = PurePath(os.path.relpath(path, self.root)).as_posix()
        parts = where.split("/")
        heads = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        names = {path.name, *heads, *(part for part in parts if part != "..")}
        cleaned = [pattern.strip().rstrip("/").removeprefix("./") for pattern in self.patterns]
        return any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in cleaned)


def find(paths: Sequence[Path], excludes: Sequence[Exclude] = ()) -> list[Path]:
    """The files to check, each once, in a fixed order. A file that is named is checked whatever its ending and folder.

    Links to folders are not followed, but one that is named is. Raises UsageError for a path that does not exist."""
    found: dict[Path, None] = {}
    for path in paths:
        if not os.path.lexists(path):
            raise UsageError(f"There is no file or folder {str(path)!r}; name one that exists.")
        for file in _below(path, excludes) if path.is_dir() else (path,):
            found.setdefault(file)
    return list(found)


def _below(folder: Path, excludes: Sequence[Exclude]) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return  # a folder that can't be entered: what lies in it is not ours to see
    for entry in ordered:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            foreign = (
                entry.name in SKIPPED or entry.name.endswith(".egg-info") or (path / "pyvenv.cfg").is_file()
            )
            if not foreign and not _left_out(path, excludes):
                yield from _below(path, excludes)
        elif entry.name.endswith(ENDINGS) and not _left_out(path, excludes) and _is_readable(entry):
            yield path


def _left_out(path: Path, excludes: Sequence[Exclude]) -> bool:
    return any(exclude(path) for exclude in excludes)


def _is_readable(entry: os.DirEntry[str]) -> bool:
    """Whether it is a file, or a link that leads nowhere, which reading it will tell; a link to a folder is not, and a
    pipe would block."""
    try:
        return entry.is_file() or not os.path.exists(entry.path)  # noqa: PTH110
    except OSError:
        return True


def shown(path: Path, folder: Path) -> str:
    """The name a file is told by: from ``folder`` where it lies below it."""
    whole = os.path.normpath(folder / path)
    start = str(folder).rstrip(os.sep) + os.sep
    return PurePath(whole[len(start) :] if whole.startswith(start) else whole).as_posix()
