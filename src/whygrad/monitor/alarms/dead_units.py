"""More and more units of a layer get no gradient at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

_DEAD, _GROWN = 0.6, 0.3  #: share of the units that is too much, and by how much it must have grown
_USED = 0.8  #: of the last rows in which the layer had a gradient: an expert is not judged by its few samples
_LOOKS = 16


class Check:
    """Follows, for every vector of units, the share that had a gradient within a window."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._first: dict[int, float] = {}
        self._before: dict[int, float] = {}

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm where most units were dead in two windows, and fewer at first."""
        for index, detail in row.details.items():
            if detail.live is None or not self._used(index):
                continue
            first = self._first.setdefault(index, detail.live)
            before, self._before[index] = self._before.get(index, 1.0), detail.live
            worst = max(before, detail.live)
            if worst > 1 - _DEAD or first - worst < _GROWN:
                continue
            name, units = self._history.track.names[index], self._history.track.shapes[index][0]
            yield Alarm(
                rule="dead-units",
                severity="warning",
                step=row.step,
                title=f"{round((1 - detail.live) * units)} of the {units} units behind {name} had no gradient over many steps (at "
                f"first {round((1 - first) * units)})",
                fix="Lower the learning rate, clip the gradients, or use LeakyReLU or GELU: units that a ReLU has switched off for "
                "every sample do not come back.",
                parameters=(name,),
                evidence={"dead": 1 - detail.live, "dead_first": 1 - first, "units": units},
                link=10,
            )

    def _used(self, index: int) -> bool:
        rows = list(self._history.rows)[-_LOOKS:]
        return sum(row.norms[index] > 0 for row in rows) >= _USED * len(rows)
