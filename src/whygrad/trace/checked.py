"""What only a check of one batch can ask, since it may run the model again."""

from __future__ import annotations

from whygrad.trace.record import Record


class Checked(Record, frozen=True):
    """``samples``: those of the batch (0: could not be told). ``mixed``: samples whose output changed though only the
    input of sample ``exchanged`` had been, in evaluation mode, and by how much at most (``change``, over the standard
    deviation of the outputs). ``functions``: custom autograd Functions and what gradcheck said of each (empty: it
    agrees). ``module``: the innermost module whose output was the first to be mixed, ``place``: the file, line and name of
    the forward of the nearest module of the user's around it. ``of_step``: a step of the user's own was checked, which may
    train only a part of the models it uses."""

    samples: int = 0
    exchanged: int = -1
    mixed: tuple[int, ...] = ()
    change: float = 0.0
    functions: tuple[tuple[str, str], ...] = ()
    module: str = ""
    place: tuple[str, int, str] | None = None
    of_step: bool = False
