"""A gradient is NaN or infinite in a step that the optimizer takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.alarms._ranks import ranks_said
from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History


class Check:
    """Looks for norms that are not finite, and for where on the way back they begin."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._clean = 0

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm at the first step of this kind."""
        if row.overflow or math.isfinite(sum(row.norms)):
            self._clean = row.step
            return
        names = self._history.track.names
        bad = [i for i, n in enumerate(row.norms) if not math.isfinite(n)]
        fine = [i for i, n in enumerate(row.norms) if math.isfinite(n) and n >= 0]
        lost = row.loss is not None and not math.isfinite(row.loss)
        place = ""
        if fine and max(bad) < max(fine):
            after = min(i for i in fine if i > max(bad))
            place = f": on the way back from the loss it is still finite at {names[after]}, and no more at {names[max(bad)]}"
        yield Alarm(
            rule="nonfinite-gradient",
            severity="error",
            step=row.step,
            since=self._clean,
            title=f"the gradient of {_count(len(bad), len(names))} is NaN or infinite{place}"
            + _ranks(row)
            + (f"; the loss is {row.loss}" if lost else ""),
            fix="The weights take it over in this step: go back to a checkpoint from before it, lower the learning rate or clip "
            "the gradients; on_alarm='diagnose' names the operation.",
            # the one where it begins comes first
            parameters=tuple(names[i] for i in sorted(bad, reverse=True)),
            evidence={"finite_until_step": self._clean, "parameters": len(bad), "loss": row.loss},
            link=6,
        )


def _ranks(row: Row) -> str:
    """On which ranks it begins, where it is not the same on all of them."""
    across = row.across
    if across is None:
        return ""
    own = [("the loss is not finite", across.lost), ("it is so", across.spoilt)]
    said = [
        f"{what} on {ranks_said(found)} alone" for what, found in own if 0 < len(found) < len(across.ranks)
    ]
    return f"; {said[0]}" if said else ""


def _count(some: int, every: int) -> str:
    return f"all {every} parameters" if some == every else f"{some} of {every} parameters"
