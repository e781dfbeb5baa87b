"""The gradients are not cleared there."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """zero_grad, or the assignment that does the same."""
    yield Intervention(
        "skip",
        f"the clearing at {where(finding)} left out",
        at(finding.causes, "cleared"),
        ("zero_grad", "grad", "zero_"),
    )
