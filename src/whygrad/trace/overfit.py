"""A run that repeats one batch."""

from __future__ import annotations

from whygrad.trace.record import Record


class LossCall(Record, frozen=True):
    """The calls of the loss function ``name`` at ``stack``, one mean value a backward pass of ``passes``; ``right``: the
    share of samples put in their class. ``weight``: how much its value counts in the loss. ``guess``: the loss of the
    best answer that ignores the input (None: not known), ``floor`` that of a perfect one, ``uniform`` of equal
    probabilities for ``classes`` classes."""

    name: str
    stack: int
    weight: float
    guess: float | None
    floor: float
    uniform: float | None
    classes: int
    passes: tuple[int, ...]
    values: tuple[float, ...]
    right: tuple[float | None, ...] = ()


class Moved(Record, frozen=True):
    """How far a parameter went over the whole run: L2 norm of last minus first value, and of the first value."""

    param: int
    change: float
    norm: float


class Overfit(Record, frozen=True):
    """A run of ``--overfit`` for up to ``steps`` steps. ``batch``: ``loader`` (the DataLoaders repeated theirs), ``held``
    (it was held where it meets the parameters), ``same`` (the script reads the same at every pass), ``changing`` (it
    could not be repeated, for the reason ``why``), ``looking`` (not decided yet).
    ``changing``: where something that enters was seen to change. ``noise``: random numbers are drawn at every pass.
    ``losses`` and ``places``: the loss and the stack of every backward pass; ``whole``: whether it had that batch.
    ``share``: how much of the first loss the ``calls`` make."""

    steps: int
    batch: str
    why: str
    changing: int
    noise: bool
    losses: tuple[float, ...]
    places: tuple[int, ...]
    whole: tuple[bool, ...]
    share: float | None
    calls: tuple[LossCall, ...] = ()
    moved: tuple[Moved, ...] = ()
