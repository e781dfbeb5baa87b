"""Fail-open: an error inside whygrad is noted and never reaches the user's script."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D")


class Problems:
    """What whygrad could not see, one sentence each, the same sentence once."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def add(self, sentence: str) -> None:
        """Note ``sentence``."""
        self._seen[sentence] = self._seen.get(sentence, 0) + 1

    def failed(self, what: str, error: Exception) -> None:
        """Note that observing ``what`` failed with ``error``; says where in whygrad, for a bug report."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
        self.add(f"whygrad failed while observing {what}: {type(error).__name__}: {error} ({where})")

    def sentences(self) -> tuple[str, ...]:
        """All of them, with a count where one came more than once."""
        return tuple(s if n == 1 else f"{s} ({n} times)" for s, n in self._seen.items())


def guarded(what: str, default: D) -> Callable[[Callable[P, R]], Callable[P, R | D]]:
    """Make a method of an object with ``problems`` fail-open: any Exception is noted, ``default`` returned."""

    def wrap(method: Callable[P, R]) -> Callable[P, R | D]:
        @functools.wraps(method)
        def call(*args: P.args, **kwargs: P.kwargs) -> R | D:
            try:
                return method(*args, **kwargs)
            except Exception as error:
                args[0].problems.failed(what, error)  # type: ignore[attr-defined]
                return default

        return call

    return wrap
