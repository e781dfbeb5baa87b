"""Clipping that comes too late, or too early, to have any effect."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


def useless_clips(graph: Graph) -> list[t.Event]:
    """Clippings at places where each one found only gradients that a step had used and that were cleared afterwards,
    or none at all; unless another place clips the same parameters before the step."""
    deposits, trace = graph.deposits, graph.trace
    by_place: dict[int, list[tuple[t.Event, bool]]] = {}
    for index in deposits.clipped:
        event = trace.events[index]
        if limit_of(graph, event) is not None:
            by_place.setdefault(event.stack, []).append((event, _useless(graph, index)))
    useful = {p for events in by_place.values() for e, useless in events if not useless for p in e.params}
    return [
        event
        for events in by_place.values()
        if all(useless for _, useless in events)
        for event, _ in events
        if useful.isdisjoint(event.params)
    ]


def _useless(graph: Graph, index: int) -> bool:
    """Whether what one clipping met had been used already, and was not used any more."""
    event = graph.trace.events[index]
    known = False
    for param, (passes, used) in graph.deposits.clipped[index].items():
        uses = graph.deposits.uses.get(param, [])
        if not uses:
            continue
        known = True
        later = next((u for u in uses if u.tick > event.tick), None)
        if passes and (not used or (later is not None and set(passes) & set(later.passes))):
            return False
        if not passes and later is not None and not any(_begun(graph, b, event.tick) for b in later.passes):
            return False
    return known


def _begun(graph: Graph, backward: int, tick: int) -> bool:
    return graph.trace.backwards[backward].tick > tick


def limit_of(graph: Graph, event: t.Event) -> float | None:
    """The limit of a clipping; of one by hand (``p.grad.clamp_(...)``) as the operation was given it."""
    limit = event.data.get("limit")
    if event.kind == "clip":
        return limit if isinstance(limit, float) else None
    for kind in graph.trace.kinds:
        if kind.stack == event.stack and kind.name == event.data.get("op"):
            numbers = [float(v) for v in kind.args.values() if v.lstrip("-").replace(".", "", 1).isdigit()]
            return max(map(abs, numbers), default=None)
    return None


def largest_used(graph: Graph, params: list[int], together: bool) -> float:
    """The largest gradient that any step used: the norm of all of them together, or else the greatest element."""
    steps: dict[int, float] = {}
    peaks = {(g.param, i): g.peak for i, b in enumerate(graph.trace.backwards) for g in b.grads}
    for param in params:
        for use in graph.deposits.uses.get(param, ()):
            size = use.norm**2 if together else peaks.get((param, use.passes[-1]), 0.0)
            size = size if math.isfinite(size) else math.inf
            before = steps.get(use.tick, 0.0)
            steps[use.tick] = before + size if together else max(before, size)
    largest = max(steps.values(), default=0.0)
    return math.sqrt(largest) if together else largest
