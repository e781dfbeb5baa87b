"""Two lists of the same files in different orders, of which an item takes the same index."""

from __future__ import annotations

import ast
import itertools
from pathlib import PurePath
from types import CodeType
from typing import Any

from whygrad.observe.containers import attributes
from whygrad.observe.definitions import function_of, place
from whygrad.observe.frames import Stacks
from whygrad.observe.source import bindings


def files_apart(stacks: Stacks, dataset: Any, code: CodeType) -> int:
    """Where an item takes its parts from two lists of file names that hold the same names in different orders; -1 if it
    does not."""
    node = function_of(stacks, code)
    by_index: dict[str, list[tuple[str, int]]] = {}
    for part in ast.walk(node) if node else ():
        if (
            isinstance(part, ast.Subscript)
            and isinstance(part.value, ast.Attribute)
            and isinstance(part.slice, ast.Name)
        ):
            by_index.setdefault(part.slice.id, []).append((part.value.attr, part.lineno))
    held = attributes(dataset)
    for used in by_index.values():
        stems = {name: found for name, _ in used if (found := _stems(held.get(name)))}
        for one, other in itertools.combinations(stems, 2):
            a, b = stems[one], stems[other]
            if len(a) == len(b) and a != b and sorted(a) == sorted(b):
                filled = bindings(stacks.trees[code.co_filename], type(dataset).__name__, other)
                filled += bindings(stacks.trees[code.co_filename], type(dataset).__name__, one)
                lines = filled or [line for name, line in used if name == other]
                return place(stacks, code, lines[0])
    return -1


def _begin_alike(names: list[str]) -> int:
    """How many characters all names begin with."""
    first, last = min(names), max(names)  # what these two share, all share
    return next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))


def _stems(value: Any) -> list[str]:
    """Names of files without folder, extension and what all of them begin or end with."""
    if type(value) not in (list, tuple) or not 4 <= len(value) <= 10**5:
        return []
    texts = [str(v) if isinstance(v, (str, PurePath)) else "" for v in value]
    if not all(texts):
        return []
    names = [PurePath(text).stem for text in texts]
    start = _begin_alike(names)
    end = _begin_alike([n[::-1] for n in names])
    cut = [n[start : len(n) - end] if len(n) > start + end else n[start:] for n in names]
    return cut if len(set(cut)) == len(cut) else []
