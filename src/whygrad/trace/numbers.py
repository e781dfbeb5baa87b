"""Statistics of what enters a model, of its hidden units, and of the rows of its weights."""

from __future__ import annotations

from whygrad.trace.record import Record


class Rows(Record, frozen=True):
    """The slices of a parameter along ``dim`` (the rows, if it is 0): ``count`` of them, ``first`` different ones at the
    first look, and at the last look ``last`` different ones among the ``moved`` that had changed. Only noted where they
    are alike at first. ``constant``: the number that all elements were then, None if they differed."""

    param: int
    dim: int
    count: int
    first: int
    last: int
    moved: int
    constant: float | None


class Twins(Record, frozen=True):
    """Parameters of one model that held the same numbers, bit for bit, at the first and at the last look, and have
    changed in between."""

    params: tuple[int, ...]


class Entrance(Record, frozen=True):
    """What entered the model at operation ``op``: the data beside a parameter. ``rms``: root mean square of all numbers,
    ``narrow`` and ``wide``: the least and the greatest of one feature (along the last dimension, or the channels of
    images). ``whole``: all of them are integers. ``made``: where integers became these numbers, or where numbers as
    great as these were first seen, innermost guess first."""

    op: int
    low: float
    high: float
    mean: float
    rms: float
    narrow: float
    wide: float
    whole: bool
    made: tuple[int, ...]


class Level(Record, frozen=True):
    """The loss function called by ``op``, in the first pass: the loss of the best answer that ignores the input, and the
    value that the call gave."""

    op: int
    name: str
    guess: float
    value: float


class Activity(Record, frozen=True):
    """The units behind an activation, pass by pass. ``place``: (its kind of operation, which of the calls of this kind in
    a pass it was). ``flat``: the share of the units that are flat (0 after ReLU, saturated) for every sample in the pass;
    ``ops``: the operations; ``samples``: over how many numbers each unit was looked at, at least."""

    name: str
    place: tuple[int, int]
    units: int
    samples: int
    passes: tuple[int, ...]
    ops: tuple[int, ...]
    flat: tuple[float, ...]
