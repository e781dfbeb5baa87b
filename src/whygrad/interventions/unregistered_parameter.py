"""The optimizer gets the live parameters."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.intervention import Intervention
from whygrad.interventions._places import optimizer_for


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """With the settings of its first group, before its first step."""
    yield Intervention(
        "hand-over",
        "these parameters handed to the optimizer",
        params=finding.parameters,
        optimizer=optimizer_for(graph, finding),
    )
