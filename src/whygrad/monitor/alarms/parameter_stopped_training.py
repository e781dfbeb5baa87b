"""A parameter that trained gets no gradient any more, step after step.

## What it means

For some time the parameter had a gradient in most of the measured steps. Now it is exactly zero, or there is none at all, for
at least 20 measured steps and 50 steps, and for three times as long as it ever was before. What lies between it and the loss
has died (a ReLU that is 0 for every sample, a saturated function, a mask), or the program takes another way now.

## How to recognise it

`parameter.grad.norm()` is 0 at every step, or `parameter.grad` is None, while the optimizer goes on stepping.

## Example

```python
if epoch > 3:
    features = encoder(x).detach()      # meant for the evaluation only
```

## Use instead

Where it is meant to stop, say so: `encoder.requires_grad_(False)`. A parameter that requires no gradient raises no alarm.
Otherwise look at the units behind it (a lower learning rate, LeakyReLU, a normalisation), or at what changed in the program.
`whygrad.watch(..., on_alarm="diagnose")` observes the next steps in full and names the line.

## Not this alarm

A parameter that never had a gradient (`whygrad run` tells why). Experts that are used now and then. What is frozen. A loss of
exactly 0 that `watch.step(loss)` tells of: nothing is left to learn.

## References

- https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
- https://arxiv.org/abs/1903.06733
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.rows import NO_GRADIENT, Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

_ROWS, _STEPS = 20, 50  #: as long as this it must have been silent, and
_TIMES = 3  #: times as long as ever before
_SHARE = 0.5  #: of the rows before it must have had a gradient


class Check:
    """Keeps, of the parameters without a gradient only, since when they have none."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._count = 0
        self._silent: dict[
            int, tuple[int, int]
        ] = {}  #: index: the row at which it fell silent, and the step before
        self._longest: dict[int, int] = {}
        self._rows: dict[int, int] = {}  #: how many rows it was silent in earlier
        self._step = 0

    def look(self, row: Row) -> Iterator[Alarm]:
        """One alarm for all that have become silent together."""
        self._count += 1
        now = {i for i, n in enumerate(row.norms) if n in (0.0, NO_GRADIENT)} if _any(row) else set()
        for i in self._silent.keys() - now:
            length = self._count - self._silent.pop(i)[0]
            self._longest[i] = max(length, self._longest.get(i, 0))
            self._rows[i] = self._rows.get(i, 0) + length
        for i in now - self._silent.keys():
            self._silent[i] = (self._count, self._step)
        self._step = row.step
        if (
            row.loss == 0
        ):  # a margin is kept everywhere, or the batch is known by heart: nothing is left to learn
            return
        stopped = [i for i in now if self._stopped(i, row.step)]
        if stopped:
            yield self._alarm(row, sorted(stopped))

    def _stopped(self, index: int, step: int) -> bool:
        began, before = self._silent[index]
        length, earlier = self._count - began + 1, began - 1
        trained = earlier - self._rows.get(index, 0)
        long = length >= max(_ROWS, _TIMES * self._longest.get(index, 0)) and step - before >= _STEPS
        return long and trained >= _ROWS and trained >= _SHARE * earlier

    def _alarm(self, row: Row, stopped: list[int]) -> Alarm:
        names = self._history.track.names
        since = min(self._silent[i][1] for i in stopped)
        none = all(row.norms[i] == NO_GRADIENT for i in stopped)
        what = "no gradient" if none else "a gradient of exactly 0"
        one = len(stopped) == 1
        return Alarm(
            rule="parameter-stopped-training",
            severity="warning",
            step=row.step,
            since=since,
            title=f"{names[stopped[0]] if one else f'{len(stopped)} of {len(names)} parameters'} stopped training: "
            f"{'it has' if one else 'they have'} had {what} since step {since}",
            fix="If it is meant to, set requires_grad_(False); else look at what lies between it and the loss (a dead ReLU, a "
            "mask, a detach that is reached now).",
            parameters=tuple(names[i] for i in stopped),
            evidence={
                "last_step_with_gradient": since,
                "silent_measured_steps": self._count - self._silent[stopped[0]][0] + 1,
            },
            link=5 if none else 6,
        )


def _any(row: Row) -> bool:
    return 0.0 in row.norms or NO_GRADIENT in row.norms
