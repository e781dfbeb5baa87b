"""How often to measure, so that it costs no more than it may. Nothing here imports torch."""

from __future__ import annotations

import math
import statistics
from collections import deque

BUDGET = 0.006  #: of the time of a step; the promise is 0.01, and what a clock sees is not all
_LONGEST = 10_000
_TRIAL = 3  #: steps measured before there is anything to judge by


class Cadence:
    """Every how many steps of an optimizer one is measured: ``fixed``, or what its own cost allows."""

    def __init__(self, fixed: int | None = None) -> None:
        self._fixed = fixed
        self.every = fixed or 1
        self._costs: deque[float] = deque(maxlen=9)
        self._steps: deque[float] = deque(maxlen=9)
        self._measured = 0
        self._at: tuple[int, float] | None = None
        self._since = 0.0
        #: seconds that a row costs later on, outside the step (analysis, store)
        self.later = 0.0

    @property
    def seconds(self) -> float:
        """Of a step of the training without the measuring, in the median; 0 if not known yet."""
        return statistics.median(self._steps) if self._steps else 0.0

    def measured(self, step: int, now: float, cost: float) -> None:
        """Step number ``step`` was measured; that took ``cost`` seconds, and is over ``now``."""
        self._measured += 1
        if self._at is not None and step > self._at[0]:
            self._steps.append(max(0.0, now - self._at[1] - cost - self._since) / (step - self._at[0]))
        self._at, self._since = (step, now), 0.0
        if self._measured > 1:  # the first time much is made that is then kept
            self._costs.append(cost)
        if self._fixed is None:
            self.every = self._allowed()

    def other(self, seconds: float) -> None:
        """Time of ours since the last measured step that is none of the training's (another optimizer's rows)."""
        self._since += seconds

    def next(self, step: int) -> int:
        """The step to measure after ``step``."""
        return step + self.every

    def _allowed(self) -> int:
        if self._measured < _TRIAL or not self._steps or not self._costs:
            return 1
        # rather too dear and too short than the other way: other programs stretch some intervals and some costs
        cost = sorted(self._costs)[len(self._costs) * 3 // 4] + self.later
        step = max(sorted(self._steps)[len(self._steps) // 4], 1e-7)
        return max(1, min(_LONGEST, math.ceil(cost / (BUDGET * step))))
