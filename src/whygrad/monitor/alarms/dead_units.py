"""More and more units of a layer get no gradient at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

#: Share of the units that is too much, and by how much it must have grown. Healthy trainings were seen to reach 0.66 (a small
#: critic whose weights are clipped), those that lose their units to a large learning rate 0.85 and more.
_DEAD, _GROWN = 0.8, 0.3
_USED = 0.8  #: of the last rows in which the layer had a gradient: an expert is not judged by its few samples
_LOOKS = 16


class Check:
    """Follows, for every vector of units, the share that had a gradient within a window."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._first: dict[int, float] = {}
        self._before: dict[int, float] = {}

    def look(self, row: Row) -> Iterator[Alarm]:
        """One alarm for the layers in which most units were dead in two windows, and fewer at first."""
        found: dict[int, float] = {}
        for index, detail in row.details.items():
            if detail.live is None or not self._used(index):
                continue
            first = self._first.setdefault(index, detail.live)
            before, self._before[index] = self._before.get(index, 1.0), detail.live
            worst = max(before, detail.live)
            if worst > 1 - _DEAD or first - worst < _GROWN:
                continue
            found[index] = detail.live
        if found:
            yield self._alarm(row, found)

    def _alarm(self, row: Row, found: Mapping[int, float]) -> Alarm:
        """``found``: the share of live units by the index of the parameter."""
        track = self._history.track
        index = min(found, key=found.__getitem__)
        dead, first, units = 1 - found[index], 1 - self._first[index], track.shapes[index][0]
        more = f"; so in {len(found) - 1} more layers" if len(found) > 1 else ""
        return Alarm(
            rule="dead-units",
            severity="warning",
            step=row.step,
            title=f"{round(dead * units)} of the {units} units behind {track.names[index]} had no gradient over many steps (at "
            f"first {round(first * units)}){more}",
            fix="Lower the learning rate, clip the gradients, or use LeakyReLU or GELU: units that a ReLU has switched off for "
            "every sample do not come back.",
            parameters=tuple(track.names[i] for i in found),
            evidence={"dead": dead, "dead_first": first, "units": units},
            link=10,
        )

    def _used(self, index: int) -> bool:
        rows = list(self._history.rows)[-_LOOKS:]
        return sum(row.norms[index] > 0 for row in rows) >= _USED * len(rows)
