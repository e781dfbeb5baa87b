"""The operation gets finite inputs."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.interventions._common import operations
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """NaN and infinite elements are replaced by zeros before it."""
    places = at(finding.causes)
    names = operations(graph, finding)
    if names:
        yield Intervention("finite", f"finite inputs at {where(finding)}", places, names)
