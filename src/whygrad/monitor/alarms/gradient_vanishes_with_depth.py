"""The gradient becomes smaller from layer to layer, step after step."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

_ROWS = 25  #: looked at together, and as often
_STEPS = 50  #: the first ones of a training tell nothing
_LAYERS = 6
_LEFT = 1e-6  #: first third over last third; the rule of this name has the measurements behind it
_STEADY = 0.6


class Check:
    """Looks, now and then, at the weights of two or more dimensions in their order."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._weights = [i for i, shape in enumerate(history.track.shapes) if len(shape) > 1]

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm where the first layers get next to nothing of what the last ones get."""
        history = self._history
        if history.count % _ROWS or row.step - history.first_step < _STEPS or len(self._weights) < _LAYERS:
            return
        seen = [(i, self._usual(i)) for i in self._weights]
        chain = [(i, size) for i, size in seen if size > 0]
        if len(chain) < _LAYERS:
            return
        sizes = [size for _, size in chain]
        third = len(sizes) // 3
        first, middle, last = (
            statistics.median(part) for part in (sizes[:third], sizes[third:-third], sizes[-third:])
        )
        rising = sum(a < b for a, b in pairwise(sizes)) / (len(sizes) - 1)
        if first >= _LEFT * last or not first < middle < last or rising < _STEADY:
            return
        names = history.track.names
        small = [names[i] for i, size in chain if size <= 1e-3 * last]
        yield Alarm(
            rule="gradient-vanishes-with-depth",
            severity="warning",
            step=row.step,
            title=f"{len(small)} parameters get next to no gradient: the first layers get {first / last:.1g} of what the last "
            "ones get",
            fix="Put normalisation or residual connections between the layers, or another activation and initialisation "
            "(nn.init.kaiming_normal_).",
            parameters=tuple(small),
            evidence={"first_over_last": first / last, "layers": len(sizes)},
            link=10,
        )

    def _usual(self, index: int) -> float:
        """The root mean square of a parameter's gradient, in the median of the last rows."""
        norms = self._history.norms(index, _ROWS)
        return statistics.median(norms) / math.sqrt(self._history.track.elements(index)) if norms else 0.0
