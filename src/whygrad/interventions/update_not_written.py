"""The computed value is written into the parameter."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """At the line that computes it."""
    yield Intervention(
        "write-back", f"the result at {where(finding)} written back", at(finding.causes, "not written")
    )
