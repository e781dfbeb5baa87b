"""Which loops of the user's source a place lies in, counted along its whole stack."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from whygrad.observe.frames import Stacks

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Loops:
    """Answers for one run."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks

    def beyond(self, stack: int, origin: int) -> int:
        """In how many loops a place lies that do not go round ``origin`` too."""
        return len(self._all(stack) - self._all(origin))

    def _all(self, stack: int) -> set[tuple[str, int]]:
        return {
            (self._stacks.code_of(frame).co_filename, line)
            for frame in self._frames(stack)
            for line in self._around(frame)
        }

    def shared(self, one: int, other: int) -> bool:
        """Whether some loop goes round both places, so that they take turns."""
        for a, b in zip(reversed(self._frames(one)), reversed(self._frames(other)), strict=False):
            if self._stacks.code_of(a) is not self._stacks.code_of(b):
                return False
            if set(self._around(a)) & set(self._around(b)):
                return True
            if a != b:
                return False
        return False

    def _frames(self, stack: int) -> Sequence[int]:
        return self._stacks.stacks[stack] if stack >= 0 else ()

    def _around(self, frame: int) -> list[int]:
        """First lines of the loops around a frame's line, within its own function."""
        code, line = self._stacks.place_of(frame)
        file = code.co_filename
        found: list[int] = []
        node: ast.AST | None = self._stacks.trees[file]
        while node is not None:
            if isinstance(node, _SCOPES):
                found = []
            elif isinstance(node, _LOOPS):
                found.append(node.lineno)
            node = next((c for c in ast.iter_child_nodes(node) if _covers(c, line)), None)
        return found


def _covers(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return bool(first and last and first <= line <= last)
