"""What is known of axes before a parameter is met, and whether an output was seen to depend on what it is to predict."""

from __future__ import annotations

from whygrad.trace.record import Record


class Stacked(Record, frozen=True):
    """A value of which ``axis`` is known to count the samples: ``how`` is ``loader`` (a shuffling DataLoader stacked
    them) or ``index`` (rows were taken in no order)."""

    value: int
    axis: int
    how: str


class Regrouped(Record, frozen=True):
    """Data, behind which no parameter lies, whose shape ``given`` was read as ``wanted``; ``value``: as which value it
    went into the model."""

    stack: int
    given: tuple[int, ...]
    wanted: tuple[int, ...]
    value: int


class Ahead(Record, frozen=True):
    """One test of whether scores look ahead. ``op`` reads the inputs (an embedding, or the first layer of a series),
    ``loss`` compares the scores with targets that are the inputs shifted by one position. The gradient of the scores
    at ``position`` with respect to what ``op`` gives has the greatest absolute value ``own`` at this position and
    ``ahead`` at the next one. ``length``: the number of positions, along ``axis`` of the inputs. ``masks``: the places
    where triangular masks were made."""

    op: int
    loss: int
    position: int
    length: int
    own: float
    ahead: float
    axis: int = 1
    masks: tuple[int, ...] = ()
