"""Questions about training and evaluation mode, and about running statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.chain import Graph, distinct


def switch(graph: Graph, number: int) -> t.Switch | None:
    """A call of ``train`` or ``eval`` by its number."""
    return graph.trace.learning.modes.switches[number] if number >= 0 else None


def held(graph: Graph, params: Iterable[int]) -> list[int]:
    """Those of the parameters that an optimizer holds."""
    return [p for p in params if p in graph.updates.holders]


def norms(graph: Graph) -> list[tuple[t.Layer, t.Statistics]]:
    """Normalisation layers that were seen to change their running statistics."""
    return [(layer, layer.statistics) for layer in graph.trace.learning.modes.layers if layer.statistics]


def made(graph: Graph, layers: Iterable[t.Layer], role: str = "created") -> tuple[f.Site, ...]:
    """Where layers were constructed, or called where they are functional calls: the most used line first."""
    sites = [s for layer in layers for s in graph.sites(place(layer), role, 0)]
    return distinct(sorted(sites, key=lambda site: -sites.count(site)))


def place(layer: t.Layer) -> int:
    """The stack where a layer was constructed; of a functional call, or where that was not seen, where it was called."""
    return layer.created if layer.created >= 0 else layer.place


def label(layer: t.Layer) -> str:
    """How a finding names a layer."""
    return f"{layer.kind} {layer.fqn}".rstrip()


def several(layers: Sequence[t.Layer]) -> str:
    """How a finding names some layers: ``BatchNorm2d 1`` or ``BatchNorm2d 1 and 3 more layers``."""
    more = len(layers) - 1
    return label(layers[0]) + (f" and {more} more layer{'s' * (more > 1)}" if more else "")


def written(graph: Graph, param: int) -> bool:
    """Whether the script itself writes the parameter again and again, as a moving average of another one does."""
    return len({(e.step, e.stack) for e in graph.updates.touching("write", param)}) > 1


def frozen_at(graph: Graph, param: int) -> t.Flip | None:
    """The last time a parameter was frozen; None if it requires grad now, or did so again and again."""
    flips = graph.trace.params[param].flips
    if not flips or flips[-1].value or sum(not flip.value for flip in flips) > 1:
        return None
    return flips[-1]
