"""What losses are computed against: class numbers and how many of them count, padding, masks, divisors."""

from __future__ import annotations

from whygrad.trace.record import Record


class TargetLook(Record, frozen=True):
    """The targets of one call of a loss function (operation ``op``, ``name`` at ``stack``). ``target`` is their value id,
    ``count`` how many there are, ``counted`` how many of them take part (neither ignored nor of weight 0), ``low`` and
    ``high`` their range. ``padded``: how many of those that take part stand where the input is padding, ``pad`` the target
    there (None: no padding was seen)."""

    name: str
    stack: int
    op: int
    target: int
    count: int
    counted: float
    low: float
    high: float
    padded: float = 0.0
    pad: float | None = None


class MaskLook(Record, frozen=True):
    """A product (operation ``op``) with a tensor without history, the value ``mask``, of zeros and ones only: the share
    of ones, and whether there is exactly one of them along the last dimension everywhere (``one_hot``)."""

    op: int
    mask: int
    share: float
    one_hot: bool


class Divisor(Record, frozen=True):
    """The one number that operation ``op`` has divided by; it has no parameters behind it."""

    op: int
    number: float


class Targets(Record, frozen=True):
    """All of them, in their order. ``flattened``: the stacks of conversions to whole numbers that made one number out of
    different ones."""

    looks: tuple[TargetLook, ...] = ()
    masks: tuple[MaskLook, ...] = ()
    divisors: tuple[Divisor, ...] = ()
    flattened: tuple[int, ...] = ()
