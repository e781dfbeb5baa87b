"""What gradients were there when a backward pass began, and how the places of a training loop lie in its source."""

from __future__ import annotations

from whygrad.trace.record import Record


class Carried(Record, frozen=True):
    """The gradients other than zero that a backward pass found in ``.grad`` and added to: ``tick`` is the pass's own,
    ``norms`` the L2 norms for ``params``."""

    tick: int
    params: tuple[int, ...]
    norms: tuple[float, ...]


class Around(Record, frozen=True):
    """A statement around a place: ``kind`` is ``for``, ``while`` or ``if``, ``text`` what it goes over or tests."""

    kind: str
    file: str
    line: int
    text: str


class Place(Record, frozen=True):
    """The loops and conditions around a stack, along all of its frames, from the outermost inwards."""

    stack: int
    around: tuple[Around, ...]
