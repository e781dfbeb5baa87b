"""One call of a torch function, as it is handed from one part of the observer to the next."""

from __future__ import annotations

from typing import Any

from whygrad.observe.names import Function
from whygrad.observe.values import Note

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


class Call:
    """A call that has returned. ``notes`` are those of its tensor inputs as they were when it began, ``started`` the
    autograd sequence number then. ``op``: the operation it was recorded as (-1: none, no parameter lies behind it)."""

    __slots__ = ("args", "function", "kwargs", "notes", "op", "result", "seconds", "started")

    def __init__(
        self,
        function: Function,
        args: Args,
        kwargs: Kwargs,
        result: Any,
        notes: list[Note],
        started: int,
        seconds: float,
    ) -> None:
        self.function, self.args, self.kwargs, self.result = function, args, kwargs, result
        self.notes, self.started, self.seconds = notes, started, seconds
        self.op = -1

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """An argument that may be given by position or by name."""
        return self.args[position] if len(self.args) > position else self.kwargs.get(name, default)
