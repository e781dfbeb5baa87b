"""Values that left torch as Python numbers, and the tensors that are made of these very numbers again.

``torch.tensor`` is seen when it is called; the old constructors (``torch.FloatTensor`` and the like) are not. They
read their list through ``__float__``, though, so that a tensor which turns up out of nothing right after it, with
the same numbers in it, is known to be theirs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import torch

from whygrad.observe.quiet import Quiet
from whygrad.observe.values import Note

_RECENT = 256  #: integers that left last, in order
_MANY = 64  #: elements of a tensor up to which its numbers are compared
_OLD = {
    torch.float32: "torch.FloatTensor",
    torch.float64: "torch.DoubleTensor",
    torch.float16: "torch.HalfTensor",
}


class Escapes:
    """The numbers that left, each with the note of the value it was."""

    def __init__(self) -> None:
        self._notes: dict[float, Note] = {}
        self._read: dict[float, Note] = {}
        self._chosen: deque[tuple[int, Note]] = deque(maxlen=_RECENT)
        self._chosen_tick = -1
        self._stack = -1
        self._any = False

    def __bool__(self) -> bool:
        """Whether any value has left torch as a number."""
        return self._any

    def left(self, note: Note, how: str, number: object, stack: int) -> None:
        """A value became one or several Python numbers at ``stack``."""
        self._any = True
        found = number if isinstance(number, list) else [number]
        for one in found[:_MANY]:
            if isinstance(one, float) and one not in (0.0, 1.0):
                self._notes[one] = note
        if how == "__float__" and isinstance(number, float):
            if stack != self._stack:
                self._read.clear()
                self._stack = stack
            self._read[number] = note

    def returning(self, numbers: Iterable[Any]) -> list[Note]:
        """Notes of the values whose very numbers come back into torch."""
        if not self._notes:
            return []
        found = [self._notes[n] for n in numbers if isinstance(n, float) and n in self._notes]
        return list(dict.fromkeys(found))

    def chose(self, note: Note, number: object, tick: int) -> None:
        """A value that is a choice (an index, a class) became one or several Python integers."""
        for one in _flat(number)[:_RECENT]:
            self._chosen.append((one, note))
        self._chosen_tick = tick

    def choosing(self, numbers: Iterable[Any], tick: int) -> list[Note]:
        """Notes of the choices whose very sequence comes back into torch. A single integer says little: it counts only
        if nothing has happened in between."""
        wanted = list(numbers)
        if not wanted or len(wanted) > len(self._chosen) or any(type(n) is not int for n in wanted):
            return []
        last = list(self._chosen)[-len(wanted) :]
        if [n for n, _ in last] != wanted or (len(wanted) == 1 and tick != self._chosen_tick):
            return []
        return list(dict.fromkeys(note for _, note in last))

    def made(self, tensor: torch.Tensor) -> tuple[str, list[Note], int] | None:
        """If a tensor that nobody has seen before holds the numbers read last, and they only: the constructor's name,
        the notes of the values they were, and where they were read."""
        name = _OLD.get(tensor.dtype)
        read, stack = self._read, self._stack
        if not read or name is None or not 0 < tensor.numel() <= _MANY or tensor.device.type != "cpu":
            return None
        with Quiet():
            numbers = tensor.detach().reshape(-1).tolist()
        if any(n not in read for n in numbers):
            return None
        self._read, self._stack = {}, -1
        return name, list(dict.fromkeys(read[n] for n in numbers)), stack


def _flat(number: object) -> list[int]:
    if isinstance(number, list):
        return [n for one in number for n in _flat(one)]
    return [number] if type(number) is int else []
