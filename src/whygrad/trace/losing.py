"""What loss functions were given."""

from __future__ import annotations

from whygrad.trace.record import Record


class Sums(Record, frozen=True):
    """Whether numbers are probabilities along a dimension: their least and greatest sum, ``off``: the mean distance of
    the sums from 1, and ``logs``: the same for logarithms, the mean absolute logsumexp. NaN: not measured."""

    low: float
    high: float
    off: float
    logs: float


class LossLook(Record, frozen=True):
    """One call of a loss function, or a subtraction of a target from an output: operation ``op`` at ``stack``, given the
    values ``scores`` and ``target`` (-1: unknown); ``carries``: the target depends on a parameter, too. ``low`` and
    ``high``: the range of the scores; ``rows``: their sums over the classes, ``across``: over the first dimension.
    ``edge``: the share of samples whose own class has a score of exactly 0, or of scores at exactly 0 (or 1, for
    probabilities). ``result``: the mean of what came out. ``goals``: the sums of the targets over the classes;
    ``spread``: 21 quantiles of the targets (empty for class numbers)."""

    name: str
    stack: int
    op: int
    scores: int
    target: int
    carries: bool
    low: float
    high: float
    rows: Sums
    across: Sums
    edge: float
    result: float
    goals: Sums
    spread: tuple[float, ...] = ()
