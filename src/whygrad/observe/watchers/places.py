"""How the places of a training loop lie in its source: in which loops, and under which conditions."""

from __future__ import annotations

import ast
from typing import Any

from whygrad import trace as t
from whygrad.observe.watcher import Watcher

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_EVENTS = ("zero-grad", "clip")
_TEXT = 80


class Watch(Watcher):
    """Reads the source of every place of a backward pass, a step, a clearing or a clipping, once, at the end."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._known: dict[int, t.Place] = {}

    def facts(self) -> dict[str, Any]:
        """One record for each stack."""
        recorder = self.recorder
        stacks = {b.stack for b in recorder.backwards} | {s.stack for s in recorder.steps}
        stacks |= {e.stack for e in recorder.events if e.kind in _EVENTS}
        stacks |= {k.created for k in self.seen.optimizers.known}
        for stack in stacks - self._known.keys() - {-1}:
            around = [one for frame in reversed(recorder.stacks.stacks[stack]) for one in self._around(frame)]
            self._known[stack] = t.Place(stack, tuple(around))
        return {"places": tuple(self._known[s] for s in sorted(self._known))}

    def _around(self, frame: int) -> list[t.Around]:
        """Loops and conditions around a frame's line, within its own function."""
        code, line = self.recorder.stacks.place_of(frame)
        file = code.co_filename
        found: list[t.Around] = []
        node: ast.AST | None = self.recorder.stacks.trees[file]
        while node is not None:
            inner = next((c for c in ast.iter_child_nodes(node) if _covers(c, line)), None)
            if isinstance(node, _SCOPES):
                found = []
            elif inner is None or not isinstance(inner, ast.stmt):
                pass  # the line of the head itself, which runs once
            elif isinstance(node, (ast.For, ast.AsyncFor)):
                found.append(t.Around("for", file, node.lineno, ast.unparse(node.iter)[:_TEXT]))
            elif isinstance(node, (ast.While, ast.If)):
                kind = "if" if isinstance(node, ast.If) else "while"
                found.append(t.Around(kind, file, node.lineno, ast.unparse(node.test)[:_TEXT]))
            node = inner
        return found


def _covers(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return bool(first and last and first <= line <= last)
