"""Replacing attributes of torch for the time of observation, and putting every one back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_ABSENT = object()


class Patches:
    """The attributes replaced so far; ``undo`` restores them in reverse order."""

    def __init__(self) -> None:
        self._done: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace ``owner.name``, remembering exactly what the owner itself held (or that it held nothing)."""
        self._done.append((owner, name, owner.__dict__.get(name, _ABSENT)))
        setattr(owner, name, value)

    def around(
        self,
        owner: Any,
        name: str,
        after: Callable[..., None] | None = None,
        before: Callable[..., Any] | None = None,
        pause: Callable[[], Any] | None = None,
    ) -> None:
        """Call ``before(*args, **kwargs)`` and ``after(token, result, *args, **kwargs)`` around a function or method.

        The original runs with the very same arguments, its result and exceptions pass through untouched.
        ``token`` is what ``before`` returned."""
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            token = before(*args, **kwargs) if before is not None else None
            if pause is None:
                result = original(*args, **kwargs)
            else:
                with pause():
                    result = original(*args, **kwargs)
            if after is not None:
                after(token, result, *args, **kwargs)
            return result

        self.set(owner, name, call)

    def undo(self) -> None:
        """Restore everything; safe to call twice."""
        while self._done:
            owner, name, value = self._done.pop()
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
