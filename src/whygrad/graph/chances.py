"""Random states of several ranks: where they part before training begins, and where they are the same within it."""

from __future__ import annotations

from typing import NamedTuple

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.across import Across
from whygrad.graph.chain import distinct

_PASSES = 3
_COUNT = 8  #: numbers drawn at once: fewer are a decision, which ranks may have to share


def reseeded_apart(across: Across) -> tuple[f.Site, ...]:
    """Where a seed was set before training that is not the same on all ranks; then what was drawn before training from
    states that differ."""
    found: list[f.Site] = []
    seeds = [
        {(across.place(i, r.stack), r.how): r for r in trace.learning.chance.reseeds if not r.backward}
        for i, trace in enumerate(across.traces)
    ]
    for key, reseed in reversed(list(seeds[0].items())):
        if len({own[key].digest if key in own else None for own in seeds}) > 1:
            found += across.sites(0, [reseed.stack], "seed differs", 0)
    draws = [
        {across.place(i, d.stack): d for d in trace.learning.chance.draws if not d.backward and d.whole}
        for i, trace in enumerate(across.traces)
    ]
    for place, draw in draws[0].items():
        if len({own[place].digest if place in own else None for own in draws}) > 1:
            found += across.sites(0, draw.remade, "generator differs", 0)
            found += across.sites(0, [draw.stack], "drawn differently", 0)
    return distinct(found)


class Noise(NamedTuple):
    """Numbers drawn by ``name`` at ``stack`` (of rank 0) in the same state on all ranks, in ``passes`` passes, all of
    them."""

    name: str
    stack: int
    passes: int


def same_noise(across: Across) -> list[Noise]:
    """Noise that is the same on all ranks throughout."""
    tables = [_draws(across, i, trace) for i, trace in enumerate(across.traces)]
    by_place: dict[tuple[object, ...], list[tuple[int, bool, t.Draw]]] = {}
    for key, draw in tables[0].items():
        place, backward, _ = key
        if all(key in table for table in tables):
            same = len({table[key].digest for table in tables}) == 1
            by_place.setdefault((place, draw.name), []).append((backward, same, draw))
    found = []
    for rows in by_place.values():
        passes = {backward for backward, _, _ in rows}
        if len(passes) >= _PASSES and all(same for _, same, _ in rows):
            found.append(Noise(rows[0][2].name, rows[0][2].stack, len(passes)))
    return found


Place = tuple[tuple[str, int], ...]


def _draws(across: Across, rank: int, trace: t.Trace) -> dict[tuple[Place, int, int], t.Draw]:
    found: dict[tuple[Place, int, int], t.Draw] = {}
    times: dict[tuple[Place, int], int] = {}
    for draw in trace.learning.chance.draws:
        if draw.own or draw.whole or draw.count < _COUNT:
            continue
        place = across.place(rank, draw.stack)
        number = times.get((place, draw.backward), 0)
        times[place, draw.backward] = number + 1
        found[place, draw.backward, number] = draw
    return found
