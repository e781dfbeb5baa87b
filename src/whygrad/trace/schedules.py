"""What schedulers did to learning rates, and what they were told."""

from __future__ import annotations

import msgspec

from whygrad.trace.record import Record


class Turn(Record, frozen=True):
    """One ``scheduler.step()``. ``metric``: the number it was given (None: none); ``whole``: it was an ``int``;
    ``loss`` and ``last``: mean and last of the losses since the turn before (None: no backward pass); ``passes``: how
    many these were; ``before`` and ``after``: the greatest learning rate; ``step``: optimizer steps taken so far."""

    tick: int
    stack: int
    metric: float | None
    whole: bool
    loss: float | None
    last: float | None
    passes: int
    before: float
    after: float
    step: int


class Schedule(Record, frozen=True):
    """One scheduler. ``direction``: whether the source says that what it is given is better when it is greater
    (``max``) or smaller (``min``); empty where it does not tell. ``options``: its plain attributes.
    ``again``: it is made in a loop that goes round its optimizer's steps too.
    ``inner``: how many loops go round the place where it steps, beyond those around its optimizer's making; ``outer``:
    how many go round the optimizer's step and not round it. ``planned``: how often it will step, by the bounds of the
    loops around that place (0: not known); ``samples``: the same, with samples counted instead of batches."""

    kind: str
    optimizer: int
    created: int
    options: dict[str, float | str | bool | None]
    turns: tuple[Turn, ...]
    direction: str = ""
    again: bool = False
    inner: int = 0
    outer: int = 0
    planned: int = 0
    samples: int = 0


class Schedules(Record, frozen=True):
    """All schedulers, in the order of their construction."""

    all: tuple[Schedule, ...] = msgspec.field(default_factory=tuple)


class Sawtooth(Record, frozen=True):
    """The greatest learning rate of an optimizer rose ``count`` times from ``low`` to ``high`` in ``length`` steps, and
    fell back to ``low`` at once each time."""

    optimizer: int
    count: int
    length: int
    low: float
    high: float
