"""The model is not switched to evaluation mode."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """What was found must be gone, and that must make a difference to the loss."""
    places = at(finding.causes, "switched to evaluation")
    if places:
        text = f"the switch to evaluation mode at {where(finding)} left out"
        yield Intervention("skip", text, places, ("eval", "train"), shows="differs")
