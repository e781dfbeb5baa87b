"""What makes one training of several ranks: the extra look at a measured step, and, on the first rank, the joining."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import torch

from whygrad.monitor.across import LATE, Held, Joiner
from whygrad.monitor.pace import Pace
from whygrad.monitor.plan import READ, Noted, Plan
from whygrad.monitor.ranks import Line, held, replicas, sums_of
from whygrad.monitor.rows import Row, Track

_HELLO = 10.0  #: seconds in which ranks that have said nothing yet are waited for
_SELDOM = 0.25  #: seconds between two looks at what the others have said
_END = 4.0  #: seconds that the end waits for the others


class Looks:
    """Called in the training's thread after every measured step: notes what this rank holds, and takes checksums."""

    def __init__(self, pace: Pace, models: Iterable[torch.nn.Module]) -> None:
        self._pace, self._models = pace, list(models)
        self._held: dict[int, tuple[Plan, Held]] = {}

    def held(self, number: int) -> Held | None:
        """What this rank's track of that number is."""
        found = self._held.get(number)
        return None if found is None else found[1]

    def __call__(self, plan: Plan, noted: Noted, count: int) -> None:
        """``count``: of the optimizer's steps."""
        number = plan.track.number
        if number not in self._held or self._held[number][0] is not plan:
            params: list[torch.Tensor] = [torch.empty(0)] * len(plan.ids)
            for part in plan.parts:
                for index, param in zip(part.indices, part.params, strict=True):
                    params[index] = param
            self._held[number] = plan, held(plan.track, params, replicas(self._models))
        if not self._pace.look_at(count):
            return
        began = time.perf_counter()
        noted.sums = [sums_of(part.params) for part in plan.parts]
        unseen = sum(p.nbytes for part in plan.parts for p in part.params if p.is_cuda) / READ
        self._pace.looked(time.perf_counter() - began + unseen)


class Gathering:
    """On the first rank, in the worker's thread: rows go in, and come out as those of all ranks."""

    def __init__(self, line: Line, looks: Looks, pace: Pace) -> None:
        self._line, self._looks, self._pace = line, looks, pace
        self._joiner = Joiner(line.rank, line.peers)
        self._began = self._heard = time.monotonic()
        self._tracks: dict[int, Track] = {}

    def begin(self) -> None:
        """Say hello."""
        self._line.connect()

    @property
    def seconds(self) -> float | None:
        """After which to ask again, None if nothing waits."""
        return _SELDOM if len(self._joiner) else None

    def add(self, track: Track, rows: Sequence[Row]) -> None:
        """Rows of our own."""
        found = self._looks.held(track.number)
        if found is not None and self._tracks.get(track.number, track) is track:
            self._tracks[track.number] = _whole(track, found)
        for row in rows:
            self._joiner.add(self._tracks.get(track.number, track), found, row)

    def ready(self, over: bool = False) -> list[tuple[Track, Row]]:
        """The rows that are complete. ``over``: wait a little for the others, then take what there is."""
        until = time.monotonic() + _END
        found = self._ready(LATE)
        while over and len(self._joiner) and time.monotonic() < until and not self._line.lost:
            time.sleep(_SELDOM / 5)
            found += self._ready(LATE)
        return found + (self._ready(0.0) if over else [])

    def _ready(self, patience: float) -> list[tuple[Track, Row]]:
        self._line.hear()
        peers = self._line.peers.values()
        if time.monotonic() - self._began > _HELLO:
            for peer in peers:
                peer.silent = peer.silent or not peer.heard
        if any(peer.heard for peer in peers) and time.monotonic() - self._heard > 1.0:
            self._heard = time.monotonic()
            self._pace.wished = max(peer.every for peer in peers)
            self._line.set_pace(max(self._pace.every, self._pace.wished))
        return self._joiner.ready(0.0 if self._line.lost else patience)

    def close(self) -> None:
        """Let go of the connection."""
        self._line.close()


def _whole(track: Track, own: Held) -> Track:
    """The track with the shapes of whole parameters."""
    if own.shapes == track.shapes:
        return track
    return Track(track.number, track.optimizer, track.names, own.shapes, track.dtypes, track.groups)
