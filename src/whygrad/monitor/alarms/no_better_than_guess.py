"""After hundreds of steps the loss is no better than what an answer that ignores the input would reach.

## What it means

You have told the monitor what such an answer reaches (`whygrad.watch(..., guess=...)`): the entropy of the labels for a
classification, the variance of the targets for a mean squared error. After 200 steps the median of the last 20 measured
losses is still not 2 % below it. The model has learned at most how often each answer occurs.

## How to recognise it

The loss of 10 equally frequent classes stays at `math.log(10)` = 2.303.

## Example

Shuffled labels, an input that never reaches the model, a learning rate that is far too small or too large, a model whose
first layers do not train.

## Use instead

`whygrad run train.py` tells which parameters do not train and what the loss is given; `whygrad run --overfit train.py` whether
the model can learn a single batch.

## Not this alarm

Without `guess` nothing is judged: losses of GANs, policies and flows need not fall. Hard problems that take longer: give a
guess only where 200 steps are enough to tell.

## References

- https://karpathy.github.io/2019/04/25/recipe/
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.monitor.rows import Alarm, Row

if TYPE_CHECKING:
    from whygrad.monitor.history import History

_STEPS, _ROWS, _BETTER = 200, 20, 0.02


class Check:
    """Compares the losses that were given with the guess that was given."""

    def __init__(self, history: History) -> None:
        self._history = history

    def look(self, row: Row) -> Iterator[Alarm]:
        """An alarm once enough was seen and nothing was learned."""
        history, guess = self._history, self._history.guess
        if guess is None or row.step - history.first_step < _STEPS:
            return
        losses = [
            loss
            for one in list(history.rows)[-_ROWS:]
            if (loss := one.loss) is not None and math.isfinite(loss)
        ]
        if len(losses) < _ROWS or (middle := statistics.median(losses)) < guess - _BETTER * abs(guess):
            return
        yield Alarm(
            rule="no-better-than-guess",
            severity="warning",
            step=row.step,
            title=f"after {row.step - history.first_step} steps the loss is {middle:.4g}, no better than the {guess:.4g} of an answer "
            "that ignores the input",
            fix="Ask which parameters train, and whether one batch can be learned: whygrad run, and whygrad run --overfit.",
            evidence={"loss": middle, "guess": guess},
            link=10,
        )
