"""Replacing attributes of torch for the time of observation, and putting every one back.

A script may keep what it has imported meanwhile, and parts of torch that it has loaded do. So every replacement is inert
once all were undone, and holds nothing of the observer any more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_ABSENT = object()
#: For the warnings module: never remember, for this file, that a line has warned. See ``warned``.
__warningregistry__ = None


class Link:
    """From a replacement to the observer, in ``to``; None once all were undone."""

    __slots__ = ("kept", "to")

    def __init__(self, to: Any) -> None:
        self.to = self.kept = to


class Patches:
    """The attributes replaced so far; ``undo`` restores them in reverse order."""

    def __init__(self) -> None:
        self.active = True
        self._done: list[tuple[Any, str, Any, Any]] = []
        self._items: list[tuple[dict[Any, Any], Any]] = []
        self._links: list[Link] = []

    def link(self, to: Any) -> Link:
        """What a replacement holds instead of ``to`` itself."""
        self._links.append(Link(to))
        return self._links[-1]

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace ``owner.name``, remembering exactly what the owner itself held (or that it held nothing)."""
        self._done.append((owner, name, owner.__dict__.get(name, _ABSENT), value))
        setattr(owner, name, value)

    def item(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Add an entry to a table of torch's that has none under ``key``."""
        table[key] = value
        self._items.append((table, key))

    def around(
        self,
        owner: Any,
        name: str,
        after: Callable[..., None] | None = None,
        before: Callable[..., Any] | None = None,
        pausing: Any = None,
    ) -> None:
        """Call ``before(*args, **kwargs)`` and ``after(token, result, *args, **kwargs)`` around a function or method.

        The original runs with the very same arguments, its result and exceptions pass through untouched.
        ``token`` is what ``before`` returned; both must be guarded. The count ``pausing.paused`` is raised for the
        time of the call."""
        original = getattr(owner, name, None)
        if original is None:
            return

        link = self.link((before, after, pausing))
        del before, after, pausing

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            if link.to is None:
                return original(*args, **kwargs)
            before, after, pausing = link.to
            token = before(*args, **kwargs) if before is not None else None
            if pausing is None:
                result = original(*args, **kwargs)
            else:
                pausing.paused += 1
                try:
                    result = original(*args, **kwargs)
                finally:
                    pausing.paused -= 1
            if after is not None:
                after(token, result, *args, **kwargs)
            return result

        self.set(owner, name, call)

    def pause(self) -> None:
        """Let every replacement do nothing but call the original, until :meth:`resume`."""
        for link in self._links:
            link.to = None

    def resume(self) -> None:
        """Let them work again."""
        for link in self._links:
            link.to = link.kept

    def undo(self) -> None:
        """Restore everything; safe to call twice."""
        self.active = False
        for link in self._links:
            link.to = link.kept = None
        while self._done:
            owner, name, before, ours = self._done.pop()
            now = owner.__dict__.get(name, _ABSENT)
            if now is not ours:
                # somebody has put another one over it meanwhile: let that be, but have it call what it would without us
                # (importing torch._dynamo wraps torch.manual_seed, for one)
                if before is not _ABSENT:
                    _take_out(now, ours, before)
                continue
            if before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
        while self._items:
            table, key = self._items.pop()
            table.pop(key, None)


def _take_out(wrapper: Any, ours: Any, before: Any) -> None:
    """Let a function that was put over ours call the original."""
    for cell in getattr(wrapper, "__closure__", None) or ():
        try:
            if cell.cell_contents is ours:
                cell.cell_contents = before
        except ValueError:  # an empty cell
            continue
    if getattr(wrapper, "__wrapped__", None) is ours:
        wrapper.__wrapped__ = before
