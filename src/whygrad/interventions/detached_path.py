"""The detach returns its input."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """One for all the cuts."""
    yield Intervention(
        "pass-through",
        f"detach() at {where(finding)} left out",
        at(finding.causes, "cut"),
        ("detach", "data", "detach_"),
    )
