"""The rounding gets the gradient of the identity."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.interventions._common import operations
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """The operations at the places where the gradient became zero."""
    names = operations(graph, finding)
    if names:
        yield Intervention(
            "straight-through",
            f"{names[0]} at {where(finding)} left out",
            at(finding.causes),
            names,
        )
