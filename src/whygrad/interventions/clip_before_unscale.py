"""The clipping is left out."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """Nothing else changes."""
    yield Intervention(
        "skip",
        f"the clipping at {where(finding)} left out",
        at(finding.causes, "clipped"),
        ("clip_grad_norm_", "clip_grad_value_"),
    )
