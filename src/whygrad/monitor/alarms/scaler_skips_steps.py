"""The GradScaler skips step after step: the gradients overflow at every scale, and nothing is learned.

## What it means

`GradScaler.step` leaves the optimizer's step out where a gradient is infinite or NaN, and `update` halves the scale. A few
skipped steps at the beginning are how it finds its scale, one in some thousand later on is normal. 20 in a row, or a quarter
of the last 100, are not: a gradient is NaN whatever the scale, or the numbers of float16 do not suffice.

## How to recognise it

`scaler.get_scale()` falls at every step, down to numbers far below 1, and the weights do not change.

## Example

```python
with torch.autocast("cuda", dtype=torch.float16):
    loss = (a - b).pow(2).sum(-1).sqrt().mean()      # the derivative of the root at 0 is infinite
```

## Use instead

Mend the operation whose gradient is not finite (`whygrad run` names it), compute it in float32, or use bfloat16, which needs
no scaler.

## Not this alarm

The first skipped steps; one now and then.

## References

- https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
- https://docs.pytorch.org/docs/stable/notes/amp_examples.html
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

_IN_A_ROW, _WINDOW, _SHARE = 20, 100, 0.25


class Check:
    """Counts what scalers were asked for and what they left out."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._seen: deque[tuple[int, int]] = deque(maxlen=_WINDOW)
        self._done = (0, 0)  #: when a step was last taken
        self._overflows = 0

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm where too many steps are left out."""
        self._overflows = self._overflows + 1 if row.overflow else 0
        now = (row.attempts, row.skipped)
        taken = row.attempts - row.skipped
        if taken > self._done[0] - self._done[1]:
            self._done = now
        in_a_row = max(row.attempts - self._done[0], self._overflows)
        while self._seen and now[0] - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        asked, left_out = (now[0] - self._seen[0][0], now[1] - self._seen[0][1]) if self._seen else (0, 0)
        self._seen.append(now)
        often = asked >= _WINDOW // 2 and left_out > _SHARE * asked and row.attempts > _WINDOW
        if in_a_row < _IN_A_ROW and not often:
            return
        how = (
            f"{in_a_row} steps in a row" if in_a_row >= _IN_A_ROW else f"{left_out} of the last {asked} steps"
        )
        yield Alarm(
            rule="scaler-skips-steps",
            severity="warning",
            step=row.step,
            title=f"the GradScaler has skipped {how}: gradients are not finite, and nothing is learned meanwhile",
            fix="Find the operation whose gradient is not finite (whygrad run names it), compute it in float32, or use bfloat16.",
            evidence={"skipped": row.skipped, "asked_for": row.attempts},
            link=7,
        )
