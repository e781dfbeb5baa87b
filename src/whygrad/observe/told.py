"""Tracebacks that the script prints or logs itself show the frames that they would show without whygrad."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from whygrad.observe.guard import Problems, guarded
from whygrad.observe.patching import Link, Patches
from whygrad.running import tracebacks


class Told:
    """Takes our frames out of an exception just before Python's ``traceback`` module reads it."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def install(self, patches: Patches) -> None:
        """Begin."""
        kind = traceback.TracebackException
        patches.set(kind, "__init__", _reading(kind.__init__, patches.link(self.cleaned)))

    @guarded("a traceback", None)
    def cleaned(self, error: BaseException | None, given: TracebackType | None) -> TracebackType | None:
        """What to read instead of the traceback ``given``."""
        if error is None:
            return given
        own = given is error.__traceback__
        tracebacks.clean(error)
        return error.__traceback__ if own else given


def _reading(original: Callable[..., None], link: Link) -> Callable[..., None]:
    def __init__(  # noqa: N807
        self: Any, exc_type: Any, exc_value: Any, exc_traceback: Any, *args: Any, **kwargs: Any
    ) -> None:
        if link.to is not None:
            exc_traceback = link.to(exc_value, exc_traceback) or exc_traceback
        original(self, exc_type, exc_value, exc_traceback, *args, **kwargs)

    return __init__
