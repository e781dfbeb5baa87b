"""The steps leave most elements of a parameter bit-identical although it has a gradient and a learning rate."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict, deque
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from whygrad.monitor.rows import Alarm, Detail, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

_LOOKS = 20
_STILL = 0.9  #: of the elements with a gradient
_RATE = 0.5  #: of the greatest rate: at the end of a schedule updates may be small
_SMALL = 1e-3  #: of the greatest norm that it had: an optimizer that has arrived need not write any more
_ZERO = 0.5  #: share of the gradient that may be zero where the elements with one were not told apart


class Check:
    """Follows the share of elements that did not change, parameter by parameter."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._still: dict[int, deque[float]] = defaultdict(partial(deque, maxlen=_LOOKS))
        self._top = 0.0
        self._lost: dict[int, None] = {}  #: found, and not told yet
        self._norms: dict[int, float] = defaultdict(float)  #: the greatest so far

    def look(self, row: Row) -> Iterator[Alarm]:
        """One alarm for those that crossed the line together."""
        rate = row.lr()
        self._top = max(self._top, rate if rate == rate else 0.0)
        if row.overflow or not rate > 0 or rate < _RATE * self._top:
            return
        due = not self._lost.keys().isdisjoint(row.details)
        for index, detail in row.details.items():
            share = _share(detail)
            norm = row.norms[index]
            if share is None or not 0 < norm < math.inf:
                continue
            self._norms[index] = max(self._norms[index], norm)
            if norm < _SMALL * self._norms[index]:
                continue
            seen = self._still[index]
            seen.append(share)
            if len(seen) == _LOOKS and min(seen) >= _STILL:
                self._lost[index] = None
        if due:  # all the others were looked at since the first was found: one alarm for all
            yield self._alarm(row, sorted(self._lost), rate)
            self._lost.clear()

    def _alarm(self, row: Row, lost: list[int], rate: float) -> Alarm:
        track = self._history.track
        dtype = track.dtypes[lost[0]]
        share = statistics.median([statistics.median(self._still[i]) for i in lost])
        what = track.names[lost[0]] if len(lost) == 1 else f"{len(lost)} parameters"
        return Alarm(
            rule="update-below-resolution",
            severity="warning",
            step=row.step,
            title=f"the steps leave {share:.0%} of {what} bit-identical although there is a gradient: the update is lost in {dtype}",
            fix="Keep the parameters in float32 and compute in half precision with torch.autocast, or raise the learning rate."
            if dtype in ("float16", "bfloat16")
            else "Raise the learning rate; if the optimizer is your own, look at whether it writes into the parameters.",
            parameters=tuple(track.names[i] for i in lost),
            evidence={"unchanged": share, "lr": rate, "dtype": dtype},
            link=9,
        )


def _share(detail: Detail) -> float | None:
    """The share of the elements with a gradient that did not change; None if that cannot be told."""
    if detail.still is not None:
        return detail.still
    if detail.zero is None or detail.zero > _ZERO or detail.ratio is None or not detail.size:
        return None
    return 1.0 if detail.ratio == 0 else 0.0
