"""One optimizer as the monitor sees it: where its parameters lie, and the rows that wait to be copied to the host."""

from __future__ import annotations

import dataclasses
import math
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from whygrad.monitor.parts import Part
from whygrad.monitor.rows import UNSEEN, Row, Track
from whygrad.observe.sharding import local

READ = 3e11  #: bytes a second that a GPU reads, the slower ones too


@dataclasses.dataclass
class Noted:
    """What the host knows of a row before its numbers have arrived. ``close``: what each part said of it; ``known``:
    numbers that the host had at once; ``sums``: checksums of each part's parameters, of some rows."""

    row: Row
    close: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    known: dict[str, float] = dataclasses.field(default_factory=dict)
    has_loss: bool = False
    sums: list[torch.Tensor] = dataclasses.field(default_factory=list)


class Block:
    """Some rows on their way to the host. ``ready`` says without waiting whether they are there."""

    def __init__(self, plan: Plan, noted: list[Noted]) -> None:
        self.track = plan.track
        self._parts, self._noted = plan.parts, noted
        self._events: list[torch.cuda.Event] = []
        self._copies = [self._copy(part.ring[: len(noted)]) for part in plan.parts]
        for one in noted:
            one.sums = [self._copy(sums) for sums in one.sums]

    def _copy(self, filled: torch.Tensor) -> torch.Tensor:
        if filled.device.type != "cuda":
            # the rows of a CPU are copied at once; other devices have no common way to do it later
            return filled.to("cpu", copy=True)
        host = torch.empty(filled.shape, dtype=filled.dtype, pin_memory=True)
        host.copy_(filled, non_blocking=True)
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(filled.device))
        self._events.append(event)
        return host

    def ready(self) -> bool:
        """Whether every number has arrived."""
        return all(event.query() for event in self._events)

    def wait(self) -> None:
        """Wait for them."""
        for event in self._events:
            event.synchronize()

    def rows(self) -> list[Row]:
        """The rows, complete. To be asked once they are ready; from another thread, if wanted."""
        lists = [copy.tolist() for copy in self._copies]
        return [self._row(noted, [rows[n] for rows in lists]) for n, noted in enumerate(self._noted)]

    def _row(self, noted: Noted, numbers: Sequence[Sequence[float]]) -> Row:
        row = noted.row
        norms = [UNSEEN] * len(self.track.names)
        row.details, row.nonfinite = {}, {}
        for part, own, close in zip(self._parts, numbers, noted.close, strict=True):
            scalars = {**noted.known, **part.scalars(own)}
            scale = scalars.get("grad_scale", 1.0) or 1.0
            for index, norm in zip(part.indices, part.norms(own), strict=True):
                norms[index] = norm if norm < 0 else norm / scale
            row.details.update(part.details(own, close))
            if close["counted"]:
                row.nonfinite.update(part.nonfinite(own))
            row.loss = scalars.get("loss", row.loss)
            row.unclipped = scalars.get("unclipped", row.unclipped)
            row.overflow = row.overflow or scalars.get("found_inf", 0.0) > 0
        if noted.sums:
            row.sums = array("q", [0] * len(norms))
            for part, sums in zip(self._parts, noted.sums, strict=True):
                for index, number in zip(part.indices, sums.tolist(), strict=True):
                    row.sums[index] = number
        row.norms = array("f", norms)  # 128 rows are remembered
        return row


class Plan:
    """The parameters of one optimizer, in parts by device. ``ids`` tells whether they are still the same."""

    def __init__(self, track: Track, params: Sequence[torch.Tensor]) -> None:
        self.track = track
        self.ids = [id(p) for p in params]
        devices: dict[torch.device, list[int]] = {}
        for index, p in enumerate(params):
            devices.setdefault(local(p).device, []).append(index)
        self.parts = [Part(track, own, [params[i] for i in own]) for own in devices.values()]
        #: What a device needs for it at least, which no clock of the host's sees: the gradients are read once.
        self.unseen_seconds = sum(p.nbytes for p in params if p.is_cuda) / READ
        self.counting = False  #: the next rows are to say how many elements of each gradient are not finite
        self._rows = min(part.rows for part in self.parts)
        self._noted: list[Noted] = []

    @property
    def last(self) -> Noted | None:
        """The row of the last measured step, while it is still here."""
        return self._noted[-1] if self._noted else None

    @property
    def full(self) -> bool:
        """Whether the ring has no room for another row."""
        return len(self._noted) >= self._rows

    def before(self) -> None:
        """Before a step: look at the weights."""
        for part in self.parts:
            part.before(len(self._noted))

    def gradients(self, row: Row) -> Noted:
        """The gradients as they are now."""
        return Noted(row, [part.gradients(self.counting) for part in self.parts])

    def scalar(self, name: str, value: Any) -> float | None:
        """A number: at once if the host knows it, else (None) it comes with the row."""
        if not isinstance(value, torch.Tensor) or value.device.type == "cpu":
            return float(value)
        part = next((p for p in self.parts if p.device == value.device), self.parts[0])
        part.scalar(name, value)
        return None

    def after(self, noted: Noted) -> None:
        """After the step: the row is complete."""
        for part in self.parts:
            part.after()
        self._noted.append(noted)

    def take(self) -> Block | None:
        """Start the rows on their way to the host, and begin anew; None if there is none."""
        if not self._noted:
            return None
        block = Block(self, self._noted)
        for part in self.parts:
            part.clear()
        self._noted = []
        return block


def describe(number: int, optimizer: Any, named: Iterable[tuple[str, torch.Tensor, int]]) -> Track:
    """The track of an optimizer's parameters: (name, parameter, number of its group) each."""
    found = list(named)
    return Track(
        number,
        type(optimizer).__name__,
        tuple(name for name, _, _ in found),
        tuple(tuple(local(p).shape) for _, p, _ in found),
        tuple(str(p.dtype).removeprefix("torch.") for _, p, _ in found),
        tuple(group for _, _, group in found),
    )


def rate_of(value: Any) -> float:
    """A learning rate or a limit; nan where it is a number on a device, for which one would have to wait."""
    if isinstance(value, torch.Tensor):
        return float(value) if value.device.type == "cpu" else math.nan
    return math.nan if value is None else float(value)
