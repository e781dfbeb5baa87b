"""The exception that ended a script, and what the call that raised was given."""

from __future__ import annotations

import msgspec

from whygrad.trace.record import Record


class Given(Record, frozen=True):
    """A tensor that was given to the call that raised. ``name`` is the argument's, ``value`` its id (-1: none),
    ``param`` the index into ``Trace.params`` (-1: not one), ``created`` where it was made. ``low`` and ``high``: its
    range, where that matters (an index, a target, an operand of what made NaN) and could be read."""

    name: str
    value: int
    param: int
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    leaf: bool
    created: int = -1
    low: float | None = None
    high: float | None = None


class Raised(Record, frozen=True):
    """The exception that ended the script. ``call`` names the torch function (or the method of torch's) that raised it,
    ``tensors`` are what it was given, ``args`` its other arguments, as text. ``optimizer`` is the one it concerns.
    ``saver``: for a saved tensor that was modified, the operation that had saved it."""

    type: str
    message: str
    stack: int
    call: str = ""
    tensors: tuple[Given, ...] = ()
    args: dict[str, str] = msgspec.field(default_factory=dict)
    optimizer: int = -1
    saver: int = -1
