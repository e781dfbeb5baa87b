"""The norm of the gradients is far above everything that this training has shown before.

## What it means

The total norm of one step is at least 20 times the median of the last 100 measured ones, 3 times the greatest of them, and 10
standard deviations away from the median (on a logarithmic scale, with the median absolute deviation as the measure, so that
a few outliers do not spoil it). One such step can undo what many have learned, and often it is the first of a divergence.

## How to recognise it

`torch.nn.utils.clip_grad_norm_` returns a number that stands out; the loss jumps at the next step.

## Example

A batch with a broken sample; a learning rate at the edge; a long sequence through an RNN; the end of a warm-up.

## Use instead

```python
loss.backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
```

Elsewhere: a longer warm-up, a lower learning rate, a look at that batch.

## Not this alarm

Norms that jump about as a rule. Gradients that `clip_grad_norm_` has just cut to its limit. The first 50 measured steps.

## References

- https://arxiv.org/abs/1211.5063
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

_LEAST, _WINDOW = 50, 100
_TIMES, _GREATEST, _DEVIATIONS = 20.0, 3.0, 10.0


class Check:
    """Compares the total norm with those of the last rows."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._logs: deque[float] = deque(maxlen=_WINDOW)

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm where a norm stands out that nothing has cut."""
        total = row.total()
        if not (math.isfinite(total) and total > 0) or row.overflow:
            return
        here = math.log(total)
        if len(self._logs) >= _LEAST and here > max(self._logs) + math.log(_GREATEST) and not _cut(row):
            middle = statistics.median(self._logs)
            deviation = 1.4826 * statistics.median([abs(v - middle) for v in self._logs])
            if here >= middle + max(math.log(_TIMES), _DEVIATIONS * deviation):
                yield self._alarm(row, total, math.exp(middle))
        self._logs.append(here)

    def _alarm(self, row: Row, total: float, usual: float) -> Alarm:
        history = self._history
        name = history.track.names[max(range(len(row.norms)), key=lambda i: self._times(row, i))]
        return Alarm(
            rule="gradient-norm-spike",
            severity="warning",
            step=row.step,
            since=history.rows[-2].step if len(history.rows) > 1 else 0,
            title=f"the norm of the gradients is {total:.3g}, {total / usual:.0f} times its median; {name} has grown most",
            fix="Clip the gradients (torch.nn.utils.clip_grad_norm_), lower the learning rate or lengthen its warm-up, and look "
            "at the batch of this step.",
            parameters=(name,),
            evidence={
                "norm": total,
                "median": usual,
                "greatest_before": math.exp(max(self._logs)),
                "loss": row.loss,
            },
            link=10,
        )

    def _times(self, row: Row, index: int) -> float:
        """By how much a parameter's norm has grown over its own median."""
        usual = self._history.norms(index, _WINDOW)[:-1]
        middle = statistics.median(usual) if usual else 0.0
        return row.norms[index] / middle if middle > 0 else 0.0


def _cut(row: Row) -> bool:
    ratio = row.clip_ratio()
    return ratio is not None and ratio < 1
