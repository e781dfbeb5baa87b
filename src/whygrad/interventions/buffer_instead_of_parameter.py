"""The buffers are trained."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.interventions._common import optimizer_for
from whygrad.proving.intervention import Intervention


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """They require grad and the optimizer holds them."""
    yield Intervention(
        "trainable",
        f"{', '.join(finding.parameters)} made trainable",
        params=finding.parameters,
        optimizer=optimizer_for(graph, finding),
    )
