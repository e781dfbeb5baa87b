"""The hook is not registered."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """Nothing else changes."""
    yield Intervention(
        "skip", f"the hook at {where(finding)} left out", at(finding.causes, "hook"), ("register_hook",)
    )
