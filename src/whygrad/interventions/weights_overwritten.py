"""The weights are not overwritten."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, at, where


def intervene(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """The call that does it is left out."""
    yield Intervention(
        "skip",
        f"the write at {where(finding)} left out",
        at(finding.causes, "overwritten"),
        ("load_state_dict", "copy_", "data", "reset_parameters", "uniform_", "normal_", "zero_", "fill_"),
    )
