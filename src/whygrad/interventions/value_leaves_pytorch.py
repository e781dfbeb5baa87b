"""The conversions to numbers hand the tensor on."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """At the conversions and where the numbers come back."""
    yield Intervention(
        "keep-tensor", f"the tensor kept at {where(finding)}", at(finding.causes, "left", "rebuilt")
    )
