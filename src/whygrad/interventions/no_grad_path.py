"""Autograd is not switched off."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """At the line that does it, or at the lines that run under it."""
    if not graph.trace.backwards and graph.trace.steps:
        yield Intervention("grad-in-closure", "autograd on while the optimizer calls its closure")
    yield Intervention("grad-on", f"autograd left on at {where(finding)}", at(finding.causes))
