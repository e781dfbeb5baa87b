"""The Function gets an input that requires grad."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """So that autograd makes a node for it."""
    yield Intervention(
        "grad-input", f"an input that requires grad at {where(finding)}", at(finding.causes, "cut")
    )
