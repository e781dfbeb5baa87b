"""Parameters that another one has replaced: held by an optimizer, while training goes on with their successors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_OFTEN = 2


def successors(graph: Graph, index: int) -> list[int]:
    """Parameters of the same name, in no optimizer, that are in the place of a held one now (or were after it): under
    that very name; or as its counterpart in another copy of the model that gets the gradients."""
    own = graph.trace.params[index]
    others = [(i, p) for i, p in graph.unheld_ones if i != index and p.role == own.role]
    same = [i for i, p in others if p.fqn == own.fqn]
    if same or not own.fqn:
        return same
    return [
        i
        for i, p in others
        if _local(p) == _local(own)
        and p.shape == own.shape
        and p.owner == own.owner
        and graph.gradients.good(i)
    ]


def stale(graph: Graph, index: int) -> bool:
    """Held by an optimizer, but no longer the parameter of that name: another one has taken its place."""
    own = graph.trace.params[index]
    if not own.live_name and not own.registered and not own.hidden:
        return bool(successors(graph, index)) or (index not in graph.flow.used and bool(own.owner))
    new = [i for i in successors(graph, index) if graph.gradients.good(i)]
    return bool(new) and not _in_use(graph, index)


def renewed(graph: Graph, index: int) -> bool:
    """Whether its place is taken anew so often that its maker must be part of the forward pass."""
    often = max(_OFTEN, len(graph.trace.backwards) / 3)
    return len(successors(graph, index)) >= often


def _in_use(graph: Graph, index: int) -> bool:
    """Whether it still got a gradient, or was computed with, in the last third of the passes."""
    passes = graph.trace.backwards
    if not passes:
        return True
    late = passes[math.ceil(len(passes) * 2 / 3) - 1].tick
    if any(passes[b].tick >= late for b, _ in graph.gradients.of.get(index, ())):
        return True
    return any(graph.trace.ops[op].tick >= late for op in graph.flow.uses(index))


def _local(param: t.Param) -> str:
    """Its name within its model."""
    return param.fqn.removeprefix(f"{param.root}.")
