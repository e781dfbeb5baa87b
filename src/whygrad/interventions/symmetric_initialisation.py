"""The modules initialise their parameters as torch does by itself."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """Before the first step; the units must differ, and the loss with them."""
    text = "the modules' own reset_parameters()"
    yield Intervention("reset-parameters", text, params=finding.parameters, shows="differs")
