"""Which reshapes cut across axes, by arithmetic alone."""

from __future__ import annotations

import pytest

from whygrad.graph.regrouping import crossings, gathered, pieces

CROSSED = [
    ((32, 4, 10, 8), (32, 10, 32)),  # heads merged
    ((4, 4, 8, 8), (4, 8, 32)),  # the same, with sizes that divide each other
    ((16, 10, 32), (16, 4, 10, 8)),  # heads split
    ((32, 20, 5), (20, 32, 5)),  # batch and time
    ((8, 32, 32, 3), (8, 3, 32, 32)),  # channels last
    ((8, 20, 5, 7), (8, 35, 20)),  # feature maps to tokens
    ((2, 7, 16), (7, 32)),  # both directions
    ((8, 3, 32, 32), (8, 16, 192)),  # patches without a permute
]
FINE = [
    ((8, 1, 28, 28), (8, 784)),
    ((8, 784), (8, 1, 28, 28)),
    ((8, 10, 96), (8, 10, 3, 4, 8)),
    ((8, 3, 32, 32), (8, 3, 4, 8, 4, 8)),
    ((8, 3, 8, 2, 8, 2), (8, 3, 16, 16)),
    ((32, 20, 6), (32, 10, 12)),  # neighbouring frames
    ((32, 10, 12), (32, 20, 6)),
    ((12, 5, 8), (3, 20, 8)),  # frames of a clip
    ((1, 10, 8), (10, 1, 8)),
    ((10, 10, 8), (10, 10, 8)),
    ((4, 0, 3), (0, 12)),
    ((), (1,)),
]


@pytest.mark.parametrize(("given", "wanted"), CROSSED)
def test_a_permutation_by_reshape_is_seen(given: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    (crossing,) = crossings(given, wanted)
    held = gathered(crossing)
    assert held is not None
    assert len(held[2]) > 1


@pytest.mark.parametrize(("given", "wanted"), FINE)
def test_splits_and_merges_are_left_alone(given: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    assert not crossings(given, wanted)


def test_the_parts_of_an_axis_are_told_outermost_first() -> None:
    assert pieces((6, 4), (3, 8)) == [[(0, 3)], [(0, 2), (1, 4)]]
    assert pieces((6, 5), (5, 6)) is None
