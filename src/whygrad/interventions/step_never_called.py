"""The step is taken."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.interventions._common import holds
from whygrad.proving.intervention import Intervention


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """After every backward pass, and the gradients are cleared."""
    names = [
        i for i, o in enumerate(graph.trace.optimizers) if any(holds(graph, i, p) for p in finding.parameters)
    ]
    for number in names[:1]:
        yield Intervention("step-after-backward", "step() called after every backward()", optimizer=number)
