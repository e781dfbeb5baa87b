"""What ranks that train together tell the first one of each measured step, and how it becomes one row. No torch here.

Nobody waits for anybody in the training: rows lie in this process until those of the others have come, or for some seconds.
"""

from __future__ import annotations

import math
import time
from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from whygrad.monitor.rows import NO_GRADIENT, UNSEEN, Across, Detail, Row, Track, pack, unpack

#: What a rank holds of a parameter: all of it, a part that counts, a further copy of a part.
WHOLE, SHARD, COPY = 0, 1, 2
LATE = 5.0  #: seconds that a row waits for the others, and that a rank may be silent
_APART = (
    1e-3  #: relative difference of two norms that should be equal, beyond that of kernels on unlike devices
)


class Held(msgspec.Struct, frozen=True):
    """A track as one rank has it. ``kinds``, ``elements`` (here) and ``shapes`` (of the whole) by parameter; ``group``: the ranks whose
    DistributedDataParallel keeps copies of it, empty where that is not known."""

    optimizer: str
    names: tuple[str, ...]
    kinds: tuple[int, ...]
    elements: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    group: tuple[int, ...] = ()


class Told(msgspec.Struct):
    """A row as it is sent: numbers as bytes, 4 a norm, 8 a checksum."""

    track: int
    step: int
    norms: bytes
    details: bytes
    loss: float | None
    nonfinite: dict[int, int]
    sums: bytes


class Message(msgspec.Struct):
    """What one rank says at a time. ``number`` counts its messages; ``every``: its cadence; ``over``: nothing more comes."""

    number: int
    rows: list[Told]
    every: int = 1
    over: bool = False


def told(row: Row) -> Told:
    """A row to send."""
    norms, details = pack(row)
    return Told(row.track, row.step, norms, details, row.loss, row.nonfinite, array("q", row.sums).tobytes())


class Peer:
    """Another rank, as far as it has been heard."""

    def __init__(self) -> None:
        self.next = 0
        self.over = self.silent = False
        self.heard = False
        self.every = 1
        self.held: dict[int, Held] = {}
        self._rows: dict[tuple[int, int], Told] = {}
        self._latest: dict[int, int] = {}
        self.details: dict[int, dict[int, Detail]] = {}

    def take(self, message: Message) -> None:
        """Keep what came; rows that nobody has asked for are forgotten after a while."""
        self.next, self.over, self.every = message.number + 1, message.over, message.every
        self.heard, self.silent = True, False
        for row in message.rows:
            self._rows[row.track, row.step] = row
            self._latest[row.track] = row.step
        while len(self._rows) > 1_000:
            del self._rows[next(iter(self._rows))]

    def number_of(self, own: Held) -> int | None:
        """Which of this rank's tracks is the same as one of ours."""
        same = (n for n, h in self.held.items() if (h.optimizer, h.names) == (own.optimizer, own.names))
        return next(same, None)

    def passed(self, track: int, step: int) -> bool:
        """Whether it is beyond a step."""
        return self._latest.get(track, -1) > step

    def row(self, track: int, step: int) -> Told | None:
        """Its row of a step, once."""
        return self._rows.pop((track, step), None)

    def has(self, track: int, step: int) -> bool:
        """Whether its row of a step has come."""
        return (track, step) in self._rows


class Joiner:
    """Holds back rows of rank ``rank`` until those of the ``peers`` are there, in order."""

    def __init__(self, rank: int, peers: Mapping[int, Peer]) -> None:
        self.rank, self.peers = rank, peers
        self._own: dict[int, Held] = {}
        self._pending: deque[tuple[Track, Row, float]] = deque()

    def add(self, track: Track, held: Held | None, row: Row) -> None:
        """A row of our own; without ``held`` (no step was measured yet) there is nothing to join."""
        if held is not None:
            self._own[track.number] = held
        self._pending.append((track, row, time.monotonic()))

    def __len__(self) -> int:
        return len(self._pending)

    def ready(self, patience: float = LATE) -> list[tuple[Track, Row]]:
        """The rows that are complete, or have waited long enough."""
        found = []
        now = time.monotonic()
        while self._pending:
            track, row, since = self._pending[0]
            held = self._own.get(track.number)
            if held is None or not any(n != UNSEEN for n in row.norms):
                found.append((track, row))
                self._pending.popleft()
                continue
            missing = [p for p in self._expected() if self._misses(p, held, row.step)]
            if missing and now - since < patience:
                break
            for peer in missing:
                peer.silent = True  # until it is heard again
            self._pending.popleft()
            found.append((track, self._joined(held, row)))
        return found

    def _expected(self) -> list[Peer]:
        return [p for p in self.peers.values() if not p.over and not p.silent]

    def _misses(self, peer: Peer, own: Held, step: int) -> bool:
        number = peer.number_of(own)
        if number is None:
            return not peer.held  # it says nothing yet, or it has other parameters
        return not peer.has(number, step) and not peer.passed(number, step)

    def _joined(self, own: Held, row: Row) -> Row:
        parts: dict[int, tuple[Held, Told]] = {}
        complete = True
        for rank, peer in self.peers.items():
            number = peer.number_of(own)
            if number is None:
                continue
            found = peer.row(number, row.step)
            complete = complete and found is not None
            if found is not None:
                parts[rank] = peer.held[number], found
                latest = peer.details.setdefault(row.track, {})
                latest.update(unpack(found.norms, found.details)[1])
        if parts or any(p.number_of(own) is not None for p in self.peers.values()):
            details = {r: self.peers[r].details.get(row.track, {}) for r in parts}
            join(self.rank, own, row, parts, details, complete)
        row.sums = ()
        return row


def join(
    rank: int,
    own: Held,
    row: Row,
    parts: Mapping[int, tuple[Held, Told]],
    details: Mapping[int, Mapping[int, Detail]],
    complete: bool,
) -> None:
    """Put into a row what the ranks have seen together. ``parts``: the others' rows of this step; ``complete``: all that
    have this track are among them."""
    helds = {rank: own, **{r: h for r, (h, _) in parts.items()}}
    norms = {rank: row.norms, **{r: unpack(t.norms, b"")[0] for r, (_, t) in parts.items()}}
    sums = {rank: row.sums, **{r: array("q", t.sums) for r, (_, t) in parts.items()}}
    losses = {rank: row.loss, **{r: t.loss for r, (_, t) in parts.items()}}
    whole = array("f", row.norms)
    differ: dict[int, tuple[int, ...]] = {}
    apart: dict[int, tuple[int, ...]] = {}
    looked = [r for r in sums if len(sums[r]) == len(own.names)]
    for i, kind in enumerate(own.kinds):
        here = {r: norms[r][i] for r in norms}
        if kind != WHOLE:
            whole[i] = (
                _size([n for r, n in here.items() if helds[r].kinds[i] == SHARD]) if complete else UNSEEN
            )
            row.nonfinite[i] = sum(
                ([row.nonfinite.get(i, 0)] * (kind == SHARD))
                + [t.nonfinite.get(i, 0) for h, t in parts.values() if h.kinds[i] == SHARD]
            )
            _whole_detail(i, rank, helds, row, details, complete)
            continue
        copies = [r for r in here if helds[r].kinds[i] == WHOLE]
        if any(not math.isfinite(here[r]) for r in copies):
            whole[i] = math.nan
        elif found := _unlike(copies, helds, lambda a, b: _differ(norms[a][i], norms[b][i])):  # noqa: B023
            differ[i] = found
        seen = [r for r in copies if r in looked]
        if found := _unlike(seen, helds, lambda a, b: sums[a][i] != sums[b][i]):  # noqa: B023
            apart[i] = found
    row.nonfinite = {i: n for i, n in row.nonfinite.items() if n}
    known = [loss for loss in losses.values() if loss is not None]
    row.loss = sum(known) / len(known) if known else None
    spoilt = tuple(r for r, ns in norms.items() if not all(map(math.isfinite, ns)))
    lost = tuple(r for r, loss in losses.items() if loss is not None and not math.isfinite(loss))
    row.norms = whole
    row.across = Across(
        ranks=tuple(norms),
        losses=(min(known), max(known)) if known and not lost else (),
        spoilt=spoilt,
        lost=lost,
        differ=differ,
        looked=len(looked) == len(norms) and len(looked) > 1,
        apart=apart,
        replicas=own.group,
    )


def _size(norms: Sequence[float]) -> float:
    """The norm of a whole from those of its parts."""
    seen = [n for n in norms if not n < 0]
    if seen:
        return math.sqrt(sum(n * n for n in seen))
    return NO_GRADIENT if NO_GRADIENT in norms else UNSEEN


def _differ(one: float, other: float) -> bool:
    return min(one, other) >= 0 and abs(one - other) > _APART * max(one, other)


def _unlike(
    copies: Sequence[int], helds: Mapping[int, Held], unlike: Callable[[int, int], bool]
) -> tuple[int, ...]:
    """The ranks that differ from the first one with which they share a group."""
    first: dict[tuple[int, ...], int] = {}
    for r in sorted(copies):
        first.setdefault(helds[r].group, r)
    return tuple(r for r in sorted(copies) if unlike(first[helds[r].group], r))


def _whole_detail(
    index: int,
    rank: int,
    helds: Mapping[int, Held],
    row: Row,
    details: Mapping[int, Mapping[int, Detail]],
    complete: bool,
) -> None:
    """Shares are weighted by the elements of the parts; norms add up as squares. A part that was not looked at in this very
    step counts as it was last seen."""
    mine = row.details.pop(index, None)
    if mine is None or not complete:
        return
    seen = [(mine, helds[rank])] if helds[rank].kinds[index] == SHARD else []
    seen += [
        (d, helds[r]) for r, ds in details.items() if (d := ds.get(index)) and helds[r].kinds[index] == SHARD
    ]
    if not seen:
        return
    weights = [h.elements[index] for _, h in seen]
    size = math.sqrt(sum((d.size or 0.0) ** 2 for d, _ in seen))
    update = math.sqrt(sum(((d.ratio or 0.0) * (d.size or 0.0)) ** 2 for d, _ in seen))
    row.details[index] = Detail(
        zero=_mean([d.zero for d, _ in seen], weights),
        ratio=update / size if size else max((d.ratio or 0.0) for d, _ in seen),
        still=_mean([d.still for d, _ in seen], weights),
        live=_mean([d.live for d, _ in seen], weights),
        size=size,
    )


def _mean(values: Sequence[float | None], weights: Sequence[int]) -> float | None:
    known = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None and w]
    return sum(v * w for v, w in known) / sum(w for _, w in known) if known else None
