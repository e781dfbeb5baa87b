"""A line now and then, so that one who waits at a terminal knows what whygrad is waiting for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

from whygrad.running.streams import say

_FIRST = 2.0


class Progress:
    """Called after every observed step. Nothing is said in the first seconds; then ever more seldom.

    Whole lines, no cursor movements: the script may be writing to the same terminal, and a line of its own is the
    one thing that never spoils its output. (A bar drawn over itself would be drawn over by the script's.)"""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._start: float | None = None
        self._next = _FIRST

    def __call__(self, step: int, steps: int) -> None:
        """``step`` of ``steps`` has been seen."""
        if self._start is None:
            self._start = self._clock()  # not earlier: importing torch takes seconds
        elapsed = self._clock() - self._start
        if elapsed >= self._next and 1 <= step < steps:
            self._next = 2 * elapsed
            say(f"watched step {step} of {steps}", self._stream)
