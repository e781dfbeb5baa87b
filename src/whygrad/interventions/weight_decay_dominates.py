"""The optimizer decays nothing."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.interventions._common import optimizer_for
from whygrad.proving.intervention import Intervention


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """What was found must be gone, and that must make a difference to the loss."""
    yield Intervention(
        "option",
        "a weight decay of 0",
        names=("weight_decay",),
        optimizer=optimizer_for(graph, finding),
        rate=0.0,
        shows="differs",
    )
