"""Learning rates that begin again and again with a warm-up, seen at the steps themselves, whoever sets them."""

from __future__ import annotations

from typing import Any

from whygrad import trace as t
from whygrad.observe.sawtooth import Teeth, rising, sawtooth
from whygrad.observe.watcher import Watcher

_TEETH = 4  #: after that many nothing more is waited for
_MOST = 400  #: steps up to which rates are followed


class Watch(Watcher):
    """Reads the rates of all steps, also of those that were only followed."""

    def expects(self) -> int:
        """One more step as long as rates rise, or have begun again less often than tells a habit."""
        if self.recorder.step >= _MOST:
            return 0
        for rates in self._rates().values():
            teeth = sawtooth(rates)
            if rising(rates) or (teeth is not None and teeth.times < _TEETH):
                return self.recorder.step + 1
        return 0

    def facts(self) -> dict[str, Any]:
        """One record for each optimizer with a sawtooth."""
        found = {index: sawtooth(rates) for index, rates in self._rates().items()}
        return {"sawteeth": tuple([_record(i, teeth) for i, teeth in found.items() if teeth is not None])}

    def _rates(self) -> dict[int, list[float]]:
        found: dict[int, list[float]] = {}
        for step in self.recorder.steps:
            if step.lrs:
                found.setdefault(step.optimizer, []).append(max(step.lrs))
        return found


def _record(optimizer: int, teeth: Teeth) -> t.Sawtooth:
    return t.Sawtooth(optimizer, teeth.times, teeth.length, teeth.low, teeth.high)
