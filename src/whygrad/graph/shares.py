"""Which data each rank has trained on, by the indices its loaders asked for and by checksums of the rows that met the
model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from whygrad import trace as t
from whygrad.graph.across import Across

_PASSES = 3  #: backward passes on the same data before it counts
_ALIKE = 0.98  #: share of rows that differ, below which a data set repeats itself
_FEW = 3  #: rows that a sampler may repeat to make shares even


class Same(NamedTuple):
    """Every rank has trained on the same batches. ``fed``: what rank 0's model was first given, ``passes``: how often;
    ``again``: it is the same in every pass."""

    fed: t.Fed
    passes: int
    rows: int
    again: bool


def same_batches(across: Across) -> Same | None:
    """Whether all inputs of all passes were the same on every rank."""
    tables = [_inputs(trace) for trace in across.traces]
    passes = sorted(set(tables[0]).intersection(*tables[1:])) if tables else []
    if len(passes) < _PASSES:
        return None
    for number in passes:
        contents = {tuple(fed.rows for fed in table[number]) for table in tables}
        if len(contents) > 1:
            return None
    feds = [tables[0][n][0] for n in passes]
    return Same(feds[0], len(passes), max(fed.shape[0] for fed in feds), len({fed.rows for fed in feds}) == 1)


def _inputs(trace: t.Trace) -> dict[int, list[t.Fed]]:
    """Backward pass -> the inputs that differ from pass to pass (all of them, where none does)."""
    feds = [fed for fed in trace.learning.data.feds if fed.role == "input" and fed.rows]
    trained = {number for number, b in enumerate(trace.backwards) if b.kind == "backward"}
    feds = [fed for fed in feds if fed.backward in trained]
    by_place: dict[tuple[int, tuple[int, ...]], set[tuple[int, ...]]] = {}
    for fed in feds:
        by_place.setdefault((fed.stack, fed.shape[1:]), set()).add(fed.rows)
    changing = [fed for fed in feds if len(by_place[fed.stack, fed.shape[1:]]) > 1]
    found: dict[int, list[t.Fed]] = {}
    for fed in changing or feds:
        found.setdefault(fed.backward, []).append(fed)
    return found


class Overlap(NamedTuple):
    """``common`` of the ``seen`` rows of one rank were also trained on by another, in one pass over the data."""

    common: int
    seen: int


def overlap(across: Across) -> Overlap | None:
    """How much of the data two ranks have in common in the first pass over them; None where it can't be told."""
    by_index = _by_index(across)
    by_rows = _by_rows(across)
    known = [one for one in (by_index, by_rows) if one is not None]
    return max(known, key=lambda one: one.common / one.seen) if known else None


def first_passes(across: Across) -> list[t.Reading] | None:
    """The first pass of training of each rank over its loader; None if some rank has none."""
    found = [next((r for r in d.readings if r.grad and r.batches), None) for d in across.facts]
    return [r for r in found if r is not None] if all(r is not None for r in found) else None


def _by_index(across: Across) -> Overlap | None:
    readings = first_passes(across)
    if readings is None or any(not r.chosen for r in readings) or len({r.rows for r in readings}) > 1:
        return None
    return _common([r.chosen for r in readings])


def _by_rows(across: Across) -> Overlap | None:
    """By what met the model, until rows come back; not where a data set repeats itself anyway."""
    taken: list[list[int]] = []
    for trace in across.traces:
        own: list[int] = []
        seen: set[int] = set()
        for _, feds in sorted(_inputs(trace).items()):
            rows = feds[0].rows
            if seen.issuperset(rows):
                break
            own += rows
            seen |= set(rows)
        if len(seen) < 8 or len(seen) < _ALIKE * len(own):
            return None
        taken.append(own)
    return _common(taken)


def _common(taken: Sequence[Sequence[int]]) -> Overlap | None:
    sets = [set(own) for own in taken]
    best = Overlap(0, min(map(len, sets), default=0))
    for i, one in enumerate(sets):
        for other in sets[i + 1 :]:
            both = len(one & other)
            if both > best.common:
                best = Overlap(both, min(len(one), len(other)))
    return best if best.seen else None


def overlaps(found: Overlap | None) -> bool:
    """Whether it is more than a sampler needs to make shares even."""
    return found is not None and found.common > max(_FEW, 0.02 * found.seen)
