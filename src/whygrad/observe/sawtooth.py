"""Learning rates that rise, fall back to where they began, and rise again."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

_RISE = 1.5  #: times the first rate, at least
_SAME = 1e-3


class Teeth(NamedTuple):
    """``times`` whole rises of ``length`` steps each, from ``low`` to ``high``."""

    times: int
    length: int
    low: float
    high: float


def sawtooth(rates: Sequence[float]) -> Teeth | None:
    """The sawtooth that a sequence of rates is from its first step on; None if it is anything else.

    A cosine with restarts falls slowly and jumps up, a triangle has no jump: neither is one."""
    if len(rates) < 2 or not rates[0] >= 0:
        return None
    starts = [0, *(i for i, (a, b) in enumerate(itertools.pairwise(rates), 1) if b < a)]
    teeth = [list(rates[a:b]) for a, b in itertools.pairwise(starts)]
    rest = list(rates[starts[-1] :])
    if not teeth or any(not _alike(tooth, teeth[0]) for tooth in teeth[1:]):
        return None
    if len(rest) > len(teeth[0]) + 1 or not _same(rest, teeth[0]):
        return None
    low, high = teeth[0][0], teeth[0][-1]
    rises = high > _RISE * low and len(teeth[0]) > 1
    return Teeth(len(teeth), len(teeth[0]), low, high) if rises else None


def rising(rates: Sequence[float]) -> bool:
    """Whether rates have only risen until now."""
    only = all(b >= a for a, b in itertools.pairwise(rates))
    return len(rates) > 1 and only and rates[-1] > _RISE * rates[0]


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return abs(len(one) - len(other)) <= 1 and _same(one, other)  # the last batch of an epoch may be missing


def _same(one: Sequence[float], other: Sequence[float]) -> bool:
    pairs = zip(one, other, strict=False)
    return all(abs(a - b) <= _SAME * max(abs(a), abs(b)) for a, b in pairs)
