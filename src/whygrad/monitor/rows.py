"""What the monitor measures: one :class:`Row` a measured step of an optimizer. Nothing here imports torch."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

#: In place of a norm: the parameter had no gradient (``.grad`` was None), or it was not looked at.
NO_GRADIENT, UNSEEN = -1.0, -2.0
#: What is measured of a few parameters at a time, in turn (see :class:`Detail`).
FIELDS = ("zero", "ratio", "still", "live", "size")

Severity = Literal["error", "warning"]


class Track(msgspec.Struct, frozen=True):
    """The parameters that one optimizer holds, in its order, and what is always true of them.

    ``number`` counts tracks; a new one begins when the optimizer's parameters change. ``shapes`` are those of this
    process (of a DTensor its local shard). ``groups``: the parameter group of each. ``units``: whether it is a vector of 8
    or more elements, one for each unit of a layer (a bias, a scale)."""

    number: int
    optimizer: str
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    groups: tuple[int, ...]

    def units(self, index: int) -> bool:
        """Whether the parameter has one element for each unit of a layer, and enough of them to count."""
        return len(self.shapes[index]) == 1 and self.shapes[index][0] >= 8

    def elements(self, index: int) -> int:
        """How many elements it has here."""
        return math.prod(self.shapes[index])


class Detail(msgspec.Struct, frozen=True):
    """What was measured of one parameter on a sample of up to 1024 evenly spaced elements. None: not measured.

    ``zero``: share of the sampled gradient that is exactly zero. ``ratio``: L2 norm of the sampled update over that of the
    sampled weights (0 over 0 is 0). ``still``: of the sampled elements with a gradient, the share that the step left
    bit-identical; only for half precision. ``live``: for a vector of units the share of *all* elements that had a
    gradient other than zero at least once in the last ``UNIT_WINDOW`` looks, while that window was full. ``size``: L2
    norm of the weights, as the sample tells it."""

    zero: float | None = None
    ratio: float | None = None
    still: float | None = None
    live: float | None = None
    size: float | None = None


class Across(msgspec.Struct, frozen=True):
    """What the ranks that train together have seen in one step. ``ranks``: those of which there are numbers.

    ``losses``: the least and the greatest. ``spoilt``, ``lost``: ranks with a gradient, a loss that is not finite.
    ``differ``: of parameters by index, the ranks whose gradient norm is another than that of the first one that has a copy.
    ``looked``: checksums of the parameters were compared, after the step; ``apart``: those that differ. ``replicas``: the
    ranks that DistributedDataParallel keeps alike, empty where that is not known."""

    ranks: tuple[int, ...]
    losses: tuple[float, ...] = ()
    spoilt: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    differ: dict[int, tuple[int, ...]] = {}
    looked: bool = False
    apart: dict[int, tuple[int, ...]] = {}
    replicas: tuple[int, ...] = ()


class Row(msgspec.Struct):
    """One measured optimizer step.

    ``step``: of the whole training, from 1 (the number of the optimizer that stepped most). ``time``: seconds since 1970, as
    the clock said. ``norms``: L2 norm of each parameter's gradient as the optimizer got it (after clipping and unscaling),
    or :data:`NO_GRADIENT`, or :data:`UNSEEN` (it is frozen just now). ``details``: by index of the parameter. ``lrs``: one a group.
    ``loss``: as it was given to ``step(loss=...)``. ``unclipped``, ``max_norm``: the total norm before
    ``clip_grad_norm_`` and its limit. ``nonfinite``: exact counts of NaN and infinite elements, by index; counted only in
    the measured steps after one in which a norm was not finite. ``skipped``, ``attempts``: steps that GradScalers have
    left out, and all that they were asked for, so far. ``overflow``: a scaler made this very step do nothing.
    ``every``: the cadence, ``seconds``: of a step of the training, in the median of the last ones.
    ``sums``: checksums of the parameters after the step, on the way to the other ranks. ``across``: what all ranks have seen;
    ``norms``, ``details``, ``nonfinite`` and ``loss`` are then those of the whole."""

    track: int
    step: int
    time: float
    norms: Sequence[float]
    details: dict[int, Detail] = {}
    lrs: tuple[float, ...] = ()
    loss: float | None = None
    unclipped: float | None = None
    max_norm: float | None = None
    nonfinite: dict[int, int] = {}
    skipped: int = 0
    attempts: int = 0
    overflow: bool = False
    every: int = 1
    seconds: float = 0.0
    sums: Sequence[int] = ()
    across: Across | None = None

    def total(self) -> float:
        """L2 norm of all gradients together; nan where none was seen."""
        seen = [n * n for n in self.norms if not n < 0]
        return math.sqrt(sum(seen)) if seen else math.nan

    def clip_ratio(self) -> float | None:
        """By what ``clip_grad_norm_`` multiplied the gradients, 1 if they were small enough; None if it was not called."""
        if self.unclipped is None or self.max_norm is None:
            return None
        return (
            min(1.0, self.max_norm / (self.unclipped + 1e-6))
            if self.unclipped == self.unclipped
            else math.nan
        )

    def lr(self) -> float:
        """The greatest learning rate of the groups; nan if none is known."""
        return max((lr for lr in self.lrs if lr == lr), default=math.nan)


class Alarm(msgspec.Struct, frozen=True):
    """Something that went wrong while the training ran.

    ``rule``: the slug, for ``whygrad explain``. ``step``: where it was seen; ``since``: the last measured step at which it
    was not so. ``link``: the broken link of the chain, 10 where the model learns the wrong thing."""

    rule: str
    severity: Severity
    step: int
    title: str
    fix: str
    parameters: tuple[str, ...] = ()
    evidence: dict[str, float | int | str | None] = {}
    since: int = 0
    link: int = 0

    def sentence(self) -> str:
        """All of it in two sentences."""
        return f"step {self.step}: {self.title}. {self.fix} (whygrad explain {self.rule})"


def modules(names: Sequence[str]) -> dict[str, list[int]]:
    """The indices of the parameters below each module: ``encoder.0.weight`` is below ``encoder.0`` and ``encoder``."""
    below: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        for module in prefixes(name):
            below.setdefault(module, []).append(index)
    return below


def prefixes(name: str) -> Iterator[str]:
    """The modules that a parameter is in, the nearest first."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def by_module(row: Row, track: Track) -> dict[str, float]:
    """The L2 norm of the gradients of each module's parameters together; those without any gradient are left out."""
    found = {}
    for module, indices in modules(track.names).items():
        own = [row.norms[i] for i in indices if not row.norms[i] < 0]
        if own:
            found[module] = math.sqrt(sum(n * n for n in own))
    return found


def pack(row: Row) -> tuple[bytes, bytes]:
    """The norms and the details as the store keeps them: 4 bytes a number, little effort."""
    numbers = array("f")
    for index, detail in row.details.items():
        numbers.append(index)
        numbers.extend(UNSEEN if v is None else v for v in (getattr(detail, f) for f in FIELDS))
    return array("f", row.norms).tobytes(), numbers.tobytes()


def unpack(norms: bytes, details: bytes) -> tuple[Sequence[float], dict[int, Detail]]:
    """The inverse of :func:`pack`."""
    one, many = array("f"), array("f")
    one.frombytes(norms)
    many.frombytes(details)
    width = 1 + len(FIELDS)
    found = {}
    for at in range(0, len(many), width):
        values = [None if v == UNSEEN else v for v in many[at + 1 : at + width]]
        found[int(many[at])] = Detail(*values)
    return one, found
