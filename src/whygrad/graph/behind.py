"""Which parameters lie behind an operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


def behind(graph: Graph, op: int) -> list[int]:
    """The parameters that lie behind an operation."""
    values = [graph.trace.values[v] for v in graph.flow.upstream(graph.trace.ops[op].ins)]
    return sorted({v.param for v in values if v.param >= 0 and graph.trace.params[v.param].named})
