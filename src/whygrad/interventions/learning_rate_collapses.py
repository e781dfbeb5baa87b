"""The learning rate stays what it was at first."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.intervention import Intervention
from whygrad.interventions._places import optimizer_for


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """1e-3 where it was 0 from the start."""
    yield Intervention(
        "keep-rate", "the first learning rate kept", optimizer=optimizer_for(graph, finding), rate=1e-3
    )
