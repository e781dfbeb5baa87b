"""Fail-open: an error inside whygrad is noted and never reaches the user's script."""

from __future__ import annotations

import functools
import signal
import threading
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D")


class Problems:
    """What whygrad could not see, one sentence each, the same sentence once."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}
        self._unseen: dict[str, None] = {}
        #: Held while anything is noted: the script may train in several threads.
        self.lock = threading.RLock()

    def add(self, sentence: str) -> None:
        """Note ``sentence``."""
        self._seen[sentence] = self._seen.get(sentence, 0) + 1

    def unseen(self, sentence: str) -> None:
        """Note something that can't be seen at all: how often it happened says nothing."""
        self._unseen[sentence] = None

    def failed(self, what: str, error: Exception) -> None:
        """Note that observing ``what`` failed with ``error``; says where in whygrad, for a bug report."""
        sentence = f"whygrad failed while observing {what}: {type(error).__name__}"
        try:
            last = traceback.extract_tb(error.__traceback__)[-1]
            sentence += f": {error} ({last.filename.rsplit('/', 1)[-1]}:{last.lineno})"
        except Exception:  # noqa: S110  (close to the recursion limit, say: then without the details)
            pass
        self.add(sentence)

    def sentences(self) -> tuple[str, ...]:
        """All of them, with a count where one came more than once."""
        failures = [s if n == 1 else f"{s} ({n} times)" for s, n in self._seen.items()]
        return (*failures, *self._unseen)


def guarded(what: str, default: D) -> Callable[[Callable[P, R]], Callable[P, R | D]]:
    """Make a method of an object with ``problems`` fail-open: any Exception is noted, ``default`` returned."""

    def wrap(method: Callable[P, R]) -> Callable[P, R | D]:
        @functools.wraps(method)
        def call(*args: P.args, **kwargs: P.kwargs) -> R | D:
            problems: Problems = args[0].problems  # type: ignore[attr-defined]
            try:
                with problems.lock:
                    return method(*args, **kwargs)
            except Exception as error:
                if _from_signal_handler(error.__traceback__):
                    raise
                problems.failed(what, error)
                return default

        return call

    return wrap


def _from_signal_handler(traceback: TracebackType | None) -> bool:
    """Whether the script's own signal handler raised (a time limit, say) and only happened to interrupt us."""
    handlers = [getattr(signal.getsignal(s), "__code__", None) for s in signal.valid_signals()]
    while traceback is not None:
        if any(traceback.tb_frame.f_code is code for code in handlers):
            return True
        traceback = traceback.tb_next
    return False
