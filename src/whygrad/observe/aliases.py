"""Tensors that share one memory and are joined as if they were different rows of a batch."""

from __future__ import annotations

import ast
import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.datasets import handed_out
from whygrad.observe.definitions import function_of, place
from whygrad.observe.digests import Known, Look, measurable
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder
from whygrad.observe.values import Values

_MOST, _WRITES = 100, 4000


class _Memory:
    """One memory that a batch was made of. ``joins``: how often it was joined; ``version``: its counter then."""

    __slots__ = ("holder", "version")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.holder = weakref.ref(tensor)
        self.version = 0


class Aliases:
    """Notes them, with where the memory was last written."""

    def __init__(self, recorder: Recorder, known: Known) -> None:
        self.recorder, self.known = recorder, known
        self._memory: dict[int, _Memory] = {}
        self._writes: dict[int, int] = {}
        self._count = 0
        self._found: list[tuple[int, int, int, int, bool, int, Look]] = []

    def wrote(self, call: Call) -> None:
        """A tensor without parameters was written in place."""
        self._count += 1
        target = call.args[0] if call.args else None
        if self._count < _WRITES and isinstance(target, torch.Tensor):
            self._writes[Values.pointer(target)] = self.recorder.stacks.here()

    def joined(self, call: Call) -> None:
        """``torch.stack`` (``default_collate`` calls it): are all of them the same memory?"""
        parts: Any = call.args[0] if call.args else call.kwargs.get("tensors")
        if type(parts) not in (list, tuple) or len(parts) < 2 or len(self._found) >= _MOST:
            return
        first = parts[0]
        if not isinstance(first, torch.Tensor) or first.numel() < 2:
            return
        pointer = first.data_ptr()
        form = (first.shape, first.stride())
        for other in parts[1:]:
            if (
                not isinstance(other, torch.Tensor)
                or other.data_ptr() != pointer
                or (other.shape, other.stride()) != form
            ):
                return
        with Quiet():
            if pointer and measurable(first):
                self._note(first, len(parts), parts[1] is first)

    def _note(self, tensor: torch.Tensor, count: int, same: bool) -> None:
        storage = Values.pointer(tensor)
        base = tensor._base if tensor._is_view() and tensor._base is not None else tensor
        memory = self._memory.get(storage)
        if memory is None or memory.holder() is not base:
            memory = self._memory[storage] = _Memory(base)
        rewritten = tensor._version - memory.version
        memory.version = tensor._version
        recorder = self.recorder
        found = (
            recorder.stacks.here(),
            count,
            rewritten,
            len(recorder.backwards),
            same,
            self._writes.get(storage, -1),
        )
        self._found.append((*found, Look(tensor.unsqueeze(0))))

    def records(self) -> list[t.SharedRows]:
        """All of them."""
        return [
            t.SharedRows(
                stack,
                count,
                again,
                backward,
                look.settle(self.known).content,
                same,
                wrote,
                self._given(wrote),
            )
            for stack, count, again, backward, same, wrote, look in self._found
        ]

    def _given(self, written: int) -> tuple[int, ...]:
        """Where a memory that was last written at ``written`` was handed out: the ``return`` of that function (or of its
        caller), or where it was put into a list."""
        stacks = self.recorder.stacks
        for frame in stacks.stacks[written] if written >= 0 else ():
            code, line = stacks.place_of(frame)
            if code.co_name == "<module>":
                return tuple(place(stacks, code, n) for n in _appends(stacks.trees[code.co_filename], line))
            own = handed_out(stacks, code)
            kept = function_of(stacks, code)
            put = [place(stacks, code, n) for n in _appends(kept, line)]
            if own or put:
                return tuple([*put, *own][:2])
        return ()


def _appends(tree: ast.AST | None, line: int) -> list[int]:
    """Calls of ``append`` in the loops around a line."""
    found: list[int] = []
    for loop in ast.walk(tree) if tree is not None else ():
        if isinstance(loop, (ast.For, ast.While)) and loop.lineno <= line <= (loop.end_lineno or 0):
            found = [
                node.lineno
                for node in ast.walk(loop)
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "append"
            ]
    return found[:2]
