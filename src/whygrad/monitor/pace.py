"""When ranks that train together measure: at steps that depend on the step's number alone, so that they meet without asking
each other. Nothing here imports torch."""

from __future__ import annotations

import statistics
from collections import deque

from whygrad.monitor.cadence import Cadence

_SHARE = 0.002  #: of the time of a step, for the checksums


class Pace(Cadence):
    """Measures every ``every``-th step, and only at its multiples; a cadence that adapts is a power of two. So of two ranks
    with different cadences one measures all steps of the other.

    ``wished``: the greatest cadence of any rank. ``looks``: every how many measured steps checksums are taken."""

    def __init__(self, fixed: int | None = None) -> None:
        super().__init__(fixed)
        self.wished = 1
        self.looks = 1
        self._looked: deque[float] = deque(maxlen=5)

    def next(self, step: int) -> int:
        """The next multiple."""
        if self._fixed is None:
            self.every = _power(max(self.every, self.wished))
        return (step // self.every + 1) * self.every

    def look_at(self, step: int) -> bool:
        """Whether checksums are due in a measured step. The first one always has them."""
        return step == 1 or step % (self.every * self.looks) == 0

    def looked(self, seconds: float) -> None:
        """What they have cost."""
        self._looked.append(seconds)
        self.other(seconds)
        if len(self._looked) > 1 and self.seconds:
            cost = statistics.median(self._looked)
            self.looks = _power(max(1, round(cost / (_SHARE * self.seconds * self.every) + 0.5)))


def _power(number: int) -> int:
    """The next power of two."""
    return 1 << (number - 1).bit_length()
