"""The arithmetic of ``view`` and ``reshape``: which axes are split, which are merged, and which are cut across.

A reshape keeps the order of the numbers in memory. Between two sizes where both shapes have read the same count of
numbers it can only split axes, merge neighbours, or do both; sizes of 1 do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import prod
from typing import NamedTuple

_AXES = 6  #: more axes in one piece than anybody swaps: not looked at
_INDICES = 4096  #: places looked at for an example


class Piece(NamedTuple):
    """A part of one input axis (its place among the given sizes), as it goes into an output axis."""

    axis: int
    size: int


class Crossing(NamedTuple):
    """Neighbouring input axes that a reshape regroups across their borders. ``given`` and ``wanted`` are the sizes,
    ``axes`` and ``places`` the numbers of these axes; ``moved``: the output is what a permutation of whole axes would
    have the shape of; otherwise the borders do not even divide each other."""

    given: tuple[int, ...]
    wanted: tuple[int, ...]
    axes: tuple[int, ...]
    places: tuple[int, ...]
    moved: bool


def segments(
    given: Sequence[int], wanted: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The numbers of the input axes and of the output axes between two common borders; axes of size 1 are left out."""
    if prod(given) != prod(wanted) or not prod(given):
        return
    left = [i for i, size in enumerate(given) if size != 1]
    right = [i for i, size in enumerate(wanted) if size != 1]
    a: list[int] = []
    b: list[int] = []
    while left or right or a:
        if prod(given[i] for i in a) <= prod(wanted[i] for i in b) and left:
            a.append(left.pop(0))
        elif right:
            b.append(right.pop(0))
        if a and prod(given[i] for i in a) == prod(wanted[i] for i in b):
            yield tuple(a), tuple(b)
            a, b = [], []


def crossings(given: Sequence[int], wanted: Sequence[int]) -> list[Crossing]:
    """Where a reshape is neither a pure split nor a pure merge, and a permutation must have been meant: the sizes are
    those of whole axes in another order, or the borders do not divide each other.

    Stacking neighbouring frames, ``[T, F] -> [T/k, k*F]``, cuts across axes too; it keeps the order, and is left out."""
    found = []
    for axes, places in segments(given, wanted):
        if len(axes) < 2 or len(places) < 2 or max(len(axes), len(places)) > _AXES:
            continue
        here, there = tuple(given[i] for i in axes), tuple(wanted[i] for i in places)
        moved = _reordered(here, there) or _reordered(there, here)
        if moved or pieces(here, there) is None:
            found.append(Crossing(here, there, axes, places, moved))
    return found


def pieces(given: Sequence[int], wanted: Sequence[int]) -> list[list[Piece]] | None:
    """For every output axis the parts of input axes that it consists of, outermost first; None where a border of one
    side falls between two elements of the other."""
    found: list[list[Piece]] = []
    axis, left = -1, 1
    for size in wanted:
        want, parts = size, list[Piece]()
        while want > 1:
            if left == 1:
                axis += 1
                if axis >= len(given):
                    return None
                left = given[axis]
                continue
            take = min(left, want)
            if max(left, want) % take:
                return None
            parts.append(Piece(axis, take))
            left, want = left // take, want // take
        found.append(parts)
    return found


def _reordered(whole: tuple[int, ...], grouped: tuple[int, ...]) -> bool:
    """Whether ``grouped`` is what merging neighbours gives after the axes ``whole`` were put into another order."""
    return any(order != whole and _merges(order, grouped) for order in set(permutations(whole)))


def _merges(order: tuple[int, ...], grouped: tuple[int, ...]) -> bool:
    sizes = list(order)
    for size in grouped:
        want = size
        while want > 1 and sizes and want % sizes[0] == 0:
            want //= sizes.pop(0)
        if want != 1:
            return False
    return not sizes


def gathered(crossing: Crossing) -> tuple[int, int, list[int]] | None:
    """An example: an output axis, an input axis, and the positions of it that position 0 of the output axis holds.
    The pair whose sizes are alike is preferred: there one position was to stay one position."""
    given, wanted = crossing.given, crossing.wanted
    if prod(wanted) > _INDICES**2:
        return None
    alike = [(o, i) for o, i in product(range(len(wanted)), range(len(given))) if wanted[o] == given[i]]
    for place, axis in alike or [(0, len(given) - 1)]:
        seen = sorted(_held(given, wanted, place, axis))
        if len(seen) > 1:
            return crossing.places[place], crossing.axes[axis], seen
    return None


def _held(given: Sequence[int], wanted: Sequence[int], place: int, axis: int) -> set[int]:
    inner, block = prod(wanted[place + 1 :]), prod(wanted[place:])
    below = prod(given[axis + 1 :])
    starts = range(0, prod(wanted), block)
    found: set[int] = set()
    for start in list(starts)[:_INDICES]:
        step = 1 if inner <= _INDICES else inner // _INDICES
        found.update(index // below % given[axis] for index in range(start, start + inner, step))
        if len(found) == given[axis]:
            break
    return found
