"""The weights are not set to zero."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """First the line that sets them is left out; where they were made of zeros, they get small random values."""
    places = at(finding.causes, "set to zero")
    yield Intervention(
        "skip",
        f"the zeros at {where(finding)} not written",
        places,
        ("zero_", "zeros_", "fill_", "constant_"),
    )
    zero = tuple(
        p.fqn for p in graph.trace.params if p.fqn in finding.parameters and p.first and p.first[1] == 0
    )
    yield Intervention(
        "re-initialise", f"small random values in place of the zeros of {', '.join(zero)}", params=zero
    )
