"""The parameters are left trainable."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.intervention import Intervention, at, where
from whygrad.interventions._places import optimizer_for


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """requires_grad is not set to False at these lines, and the optimizer gets the parameters."""
    yield Intervention(
        "trainable",
        f"requires_grad left on at {where(finding)}",
        at(finding.causes, "frozen"),
        params=finding.parameters,
        optimizer=optimizer_for(graph, finding),
    )
