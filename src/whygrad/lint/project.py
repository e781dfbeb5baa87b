"""The other files of a project: found by the names they are imported under, parsed when asked for, a few kept."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from whygrad.lint.source import SourceError, decode, parse
from whygrad.lint.tree import Tree

#: Characters of source whose trees are held at once, so that memory does not grow with the project (a tree takes about a
#: hundred times the size of its source).
_KEPT = 1_000_000
_UPWARD = 6  #: folders above a file in which a top-level name is looked for


class Project:
    """Parsed files by path."""

    def __init__(self) -> None:
        self._trees: OrderedDict[Path, Tree | None] = OrderedDict()
        self._files: dict[tuple[Path, str], Path | None] = {}

    def tree(self, path: Path) -> Tree | None:
        """The parsed file; None if it can't be read or parsed."""
        if path in self._trees:
            self._trees.move_to_end(path)
            return self._trees[path]
        try:
            source = decode(path.read_bytes())
            tree = Tree(path, source, parse(source))
        except (OSError, SourceError, RecursionError):
            tree = None
        self.keep(path, tree)
        return tree

    def keep(self, path: Path, tree: Tree | None) -> None:
        """Keep a tree that was parsed: the files beside it are likely to ask for it. Those not asked for longest go."""
        self._trees[path] = tree
        self._trees.move_to_end(path)
        sizes = [len(kept.source.text) if kept is not None else 0 for kept in self._trees.values()]
        total = sum(sizes)
        for size in sizes[:-1]:
            if total <= _KEPT:
                break
            self._trees.popitem(last=False)
            total -= size

    def find(self, name: str, importer: Path) -> Path | None:
        """The file of the module ``name`` (``..models.net`` too) as it is imported in the file ``importer``.

        Absolute names are looked for as Python does for a script (its folder) and for packages above it."""
        key = (importer.parent, name)
        if key not in self._files:
            if len(self._files) > 20_000:
                self._files.clear()
            self._files[key] = self._find(name, importer)
        return self._files[key]

    def _find(self, name: str, importer: Path) -> Path | None:
        plain = name.lstrip(".")
        level = len(name) - len(plain)
        if level:
            folders = list(importer.parents[level - 1 : level])
        elif plain.split(".", 1)[0] == "torch":
            return None
        else:
            folders = list(importer.parents[:_UPWARD])
        parts = plain.split(".") if plain else []
        for folder in folders:
            path = folder.joinpath(*parts)
            try:
                if parts and path.with_suffix(".py").is_file():
                    return path.with_suffix(".py")
                if (path / "__init__.py").is_file():
                    return path / "__init__.py"
            except (OSError, ValueError):
                return None
            if parts and (folder / ".git").exists():
                return None
        return None
