"""Random numbers: what was drawn in which state of the generator, and where seeds were set."""

from __future__ import annotations

from whygrad.trace.record import Record


class Draw(Record, frozen=True):
    """Random numbers were drawn while autograd was on, after ``backward`` backward passes. ``state`` is a number for the
    state that the generator was left in, the same for the same state. ``own``: a generator was given in the call.
    ``whole``: integers (a choice of rows), not noise. ``remade``: the lines in the loop around it that make that
    generator or set a seed, read from the source. ``digest``: a number for that state that is the same on all ranks;
    ``count``: how many numbers were drawn."""

    name: str
    stack: int
    backward: int
    tick: int
    state: int
    own: bool
    whole: bool = False
    remade: tuple[int, ...] = ()
    digest: int = 0
    count: int = 0


class Reseed(Record, frozen=True):
    """A seed was set by ``how`` after ``backward`` backward passes; ``seed`` is a number for it, the same for the same
    seed, ``digest`` one that is the same on all ranks."""

    how: str
    stack: int
    backward: int
    tick: int
    seed: int
    digest: int = 0


class Chance(Record, frozen=True):
    """All of it. ``restores`` counts how often a saved state was put back."""

    draws: tuple[Draw, ...] = ()
    reseeds: tuple[Reseed, ...] = ()
    restores: int = 0
