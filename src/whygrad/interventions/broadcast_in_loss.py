"""The operand of another shape gets the shape of the first."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.interventions._common import operations
from whygrad.proving.intervention import Intervention, at


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """As if both had been given with the same shape; the loss must fall farther."""
    names = operations(graph, finding)
    if names:
        text = f"the shapes at {names[0].strip('_')} aligned"
        yield Intervention("align", text, at(finding.causes, "broadcast"), names, shows="learns")
