"""What every sink makes of a measured step: names and numbers. Nothing here imports torch, or a library of a sink."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator
from types import ModuleType

from whygrad.errors import UsageError
from whygrad.monitor.rows import Row, Track, by_module
from whygrad.running.quiet_import import load

#: What is known of a parameter beside its gradient's norm: field of a row's ``Detail``, and what it is called here.
DETAILS = {
    "ratio": "update_ratio",
    "zero": "zero_share",
    "size": "weight_norm",
    "still": "unchanged_share",
    "live": "live_share",
}


def library(module: str, install: str) -> ModuleType:
    """Import what a sink writes to. Raises UsageError with what to type where it is missing."""
    try:
        return load(module)
    except ImportError as error:
        raise UsageError(
            f"This sink needs {install}, which cannot be imported ({error}); install it with "
            f"`pip install {install}`."
        ) from error


@contextlib.contextmanager
def same_random_state() -> Iterator[None]:
    """Leave Python's random numbers as they are, whatever a library draws for the name of a run."""
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)


class Numbers:
    """Turns rows into numbers with names.

    Args:
        seconds: the least time between two rows of an optimizer that are told in full; 0: all of them.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last: dict[int, float] = {}
        self._line: dict[int, int] = {}
        self._now: list[Track] = []

    def line(self, track: Track) -> int:
        """Which optimizer of the run this is, from 1. One that was given other parameters (a layer is unfrozen) goes on
        under its number, as long as its former list of parameters does not come back."""
        at = self._line.get(track.number)
        if at is None:
            at = next((n for n, former in enumerate(self._now) if _continues(track, former)), None)
        elif self._now[at].number != track.number:
            at = None  # what seemed to follow it is an optimizer beside it
        if at is None:
            at = len(self._now)
            self._now.append(track)
        self._now[at] = track
        self._line[track.number] = at
        return at + 1

    def due(self, track: Track, row: Row) -> bool:
        """Whether it is time again for what is not told of every row."""
        last = self._last.get(track.number)
        if last is not None and abs(row.time - last) < self._seconds:  # a clock may be set back
            return False
        self._last[track.number] = row.time
        return True

    def of_step(self, row: Row) -> dict[str, float]:
        """``loss``, ``grad_norm``, ``unclipped_grad_norm``, ``clip_ratio``, ``lr`` (and ``lr_0``, … of several groups),
        ``skipped_steps``: what is known of them."""
        found = {
            "loss": row.loss,
            "grad_norm": row.total() if any(not n < 0 for n in row.norms) else None,
            "unclipped_grad_norm": row.unclipped,
            "clip_ratio": row.clip_ratio(),
            "lr": None if math.isnan(row.lr()) else row.lr(),
            "skipped_steps": row.skipped if row.attempts else None,
        }
        if len(row.lrs) > 1:
            found |= {f"lr_{n}": lr for n, lr in enumerate(row.lrs) if not math.isnan(lr)}
        return {name: value for name, value in found.items() if value is not None}

    def of_parameters(self, track: Track, row: Row) -> dict[str, dict[str, float]]:
        """For each parameter that was seen its ``grad_norm``, its ``nonfinite`` elements if it has any, and what else
        was measured of it (see ``DETAILS``). Nothing if it is too early for them."""
        if not self.due(track, row):
            return {}
        found: dict[str, dict[str, float]] = {}
        for index, name in enumerate(track.names):
            own: dict[str, float] = {} if row.norms[index] < 0 else {"grad_norm": row.norms[index]}
            if row.nonfinite.get(index):
                own["nonfinite"] = row.nonfinite[index]
            if (detail := row.details.get(index)) is not None:
                own |= {
                    title: value
                    for field, title in DETAILS.items()
                    if (value := getattr(detail, field)) is not None
                }
            if own:
                found[name] = own
        return found

    def flat(self, track: Track, row: Row) -> dict[str, float]:
        """All in one: ``whygrad/loss`` (``whygrad_2/loss`` of the second optimizer), ``whygrad_grad_norm/PARAMETER``,
        ``whygrad_module_grad_norm/MODULE``, …"""
        line = self.line(track)
        section = "whygrad" if line == 1 else f"whygrad_{line}"
        found = {f"{section}/{name}": value for name, value in self.of_step(row).items()}
        parameters = self.of_parameters(track, row)
        for name, own in parameters.items():
            found |= {f"whygrad_{kind}/{name}": value for kind, value in own.items()}
        if parameters:
            found |= {
                f"whygrad_module_grad_norm/{module}": norm for module, norm in by_module(row, track).items()
            }
        return found


def _continues(track: Track, former: Track) -> bool:
    one, other = set(track.names), set(former.names)
    return track.optimizer == former.optimizer and (one <= other or other <= one)
