"""The loss over a run of ``--overfit``, and the levels to compare it with."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from statistics import fmean

from whygrad import trace as t

_NO_GUESS = (
    1e-3  #: share of the uniform level below which the constant guess is no measure: one class, one target
)


class Fit:
    """Questions over the losses of one such run."""

    def __init__(self, run: t.Overfit) -> None:
        self.run = run

    @cached_property
    def place(self) -> int:
        """The stack of the backward pass that was made most often (the first of equals), -1 without any."""
        counts = Counter(self.run.places)
        return max(counts, key=lambda stack: counts[stack]) if counts else -1

    @cached_property
    def passes(self) -> list[int]:
        """The backward passes made there with the whole batch."""
        run = self.run
        return [i for i, stack in enumerate(run.places) if stack == self.place and run.whole[i]]

    @cached_property
    def calls(self) -> list[t.LossCall]:
        """The calls of loss functions that these passes' loss is made of; none if they are its lesser part."""
        wanted = set(self.passes)
        often = [c for c in self.run.calls if 5 * len(wanted.intersection(c.passes)) >= 4 * len(wanted) > 0]
        told = [c for c in often if c.guess is not None]
        whole = sum(abs(c.weight * c.values[0]) for c in often)
        share = sum(abs(c.weight * c.values[0]) for c in told) / whole if whole else 0.0
        enough = abs(self.run.share or 0.0) * share >= 0.5
        return told if enough and all(c.weight > 0 and _guess(c) > c.floor for c in told) else []

    @cached_property
    def values(self) -> list[float]:
        """The loss at each of :attr:`passes`: of those calls, the heaviest counting once; or as backward was given it."""
        if not self.calls:
            return [self.run.losses[i] for i in self.passes]
        wanted = set(self.passes)
        sums: dict[int, list[float]] = {}
        for call in self.calls:
            for number, value in zip(call.passes, call.values, strict=True):
                if number in wanted:
                    sums.setdefault(number, []).append(value * self._share(call))
        return [sum(parts) for _, parts in sorted(sums.items()) if len(parts) == len(self.calls)]

    def _share(self, call: t.LossCall) -> float:
        return call.weight / max(c.weight for c in self.calls)

    @property
    def guess(self) -> float | None:
        """The loss of the best answer that ignores the input; None if it is not known."""
        return sum(_guess(c) * self._share(c) for c in self.calls) or None

    @property
    def floor(self) -> float | None:
        """The loss of a perfect answer; None if it is not known."""
        return sum(c.floor * self._share(c) for c in self.calls) if self.calls else None

    @property
    def uniform(self) -> float | None:
        """The loss of equal probabilities for all classes; None where there are no classes."""
        parts = [c.uniform * self._share(c) for c in self.calls if c.uniform is not None]
        return sum(parts) if parts and len(parts) == len(self.calls) else None

    @property
    def classes(self) -> int:
        """The number of classes, 0 where it is not the same for all calls (or there are none)."""
        counts = {c.classes for c in self.calls}
        return counts.pop() if len(counts) == 1 and self.uniform is not None else 0

    @property
    def name(self) -> str:
        """The loss functions; empty if none is known."""
        return " + ".join(dict.fromkeys(c.name for c in self.calls))

    @property
    def start(self) -> float:
        """The loss at the first pass, nan without any."""
        return self.values[0] if self.values else math.nan

    @property
    def end(self) -> float:
        """The loss at the end, over the last twentieth of the passes."""
        return fmean(self.values[-self.last :]) if self.values else math.nan

    @property
    def last(self) -> int:
        """How many passes are the end."""
        return max(1, len(self.values) // 20)

    @property
    def right(self) -> float | None:
        """The share of samples in their class at the end; None where that can't be said."""
        ends = [r for c in self.calls for r in c.right[-self.last :]]
        told = [r for r in ends if r is not None and math.isfinite(r)]
        return fmean(told) if told and len(told) == len(ends) else None


def _guess(call: t.LossCall) -> float:
    """The level to compare with: the constant guess, or that of equal probabilities where all labels are one."""
    guess, uniform = call.guess or 0.0, call.uniform or 0.0
    return uniform if guess < _NO_GUESS * uniform else guess
