"""Which track the rows of an optimizer go to: optimizers come and go, and tracks are kept for ever."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import torch

from whygrad.monitor.plan import describe
from whygrad.monitor.rows import Track

MOST = 256  #: each has its history in memory and its names in the store


class Tracks:
    """All tracks so far. One whose optimizer is no more is taken up again by the next optimizer of the same kind over parameters
    of the same names: who makes a new one for every epoch gets one course, and not as many as there are epochs."""

    def __init__(self) -> None:
        self.all: list[Track] = []
        self._free: list[Track] = []

    def take(self, optimizer: Any, named: Iterable[tuple[str, torch.Tensor, int]]) -> Track | None:
        """The track of an optimizer that begins, or None where there are too many."""
        new = describe(len(self.all), optimizer, named)
        for track in self._free:
            if msgspec.structs.replace(new, number=track.number) == track:
                self._free.remove(track)
                return track
        if len(self.all) >= MOST:
            return None
        self.all.append(new)
        return new

    def release(self, track: Track) -> None:
        """Its optimizer is no more, or holds other parameters now."""
        self._free.append(track)
