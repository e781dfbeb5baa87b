"""The module keeps its first Parameter."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """A new one of the same name is not taken over."""
    yield Intervention(
        "keep-parameter", f"the Parameter not replaced at {where(finding)}", params=finding.parameters
    )
