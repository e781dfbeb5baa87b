"""Graphs shared by two backward passes: what part of the second graph the first pass went through, and what carried it over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


class Carry:
    """A value of the shared part that the second graph takes up: the operation that made it, and its users there."""

    __slots__ = ("first_users", "maker", "users", "value")

    def __init__(self, value: int, maker: int, users: list[int], first_users: list[int]) -> None:
        self.value, self.maker, self.users, self.first_users = value, maker, users, first_users


class Shared:
    """What a backward pass has in common with an earlier one. ``carries`` is empty if all of it is the same graph."""

    def __init__(self, first: int, second: int, ops: set[int], carries: list[Carry]) -> None:
        self.first, self.second, self.ops, self.carries = first, second, ops, carries


def operations(backward: t.Backward) -> set[int]:
    """The recorded operations in the graph of a pass."""
    return {node.op for node in backward.nodes if node.op >= 0}


def shared_with_earlier(graph: Graph, second: int, through: int = -1) -> Shared | None:
    """The last earlier pass that went through part of the graph of pass ``second`` (through operation ``through``, if
    given), None if no pass is known to have done so."""
    passes = graph.trace.backwards
    own = operations(passes[second])
    for first in range(second - 1, -1, -1):
        both = operations(passes[first]) & own
        if passes[first].raised or not both or (through >= 0 and through not in both):
            continue
        return Shared(first, second, both, list(_carries(graph, both, own, operations(passes[first]))))
    return None


def _carries(graph: Graph, both: set[int], second: set[int], first: set[int]) -> Iterable[Carry]:
    """Values made in the shared part and used by the rest of the second graph, the oldest first."""
    users: dict[int, list[int]] = {}
    for op in sorted(second - both):
        for vid in graph.trace.ops[op].ins:
            value = graph.trace.values[vid]
            if value.op in both and value.requires_grad:
                users.setdefault(vid, []).append(op)
    for vid, found in sorted(users.items()):
        before = [op for op in graph.flow.consumers.get(vid, ()) if op in first - both]
        yield Carry(vid, graph.trace.values[vid].op, found, before)


def sources(graph: Graph, ops: Iterable[int]) -> set[int]:
    """The parameters that a set of operations takes."""
    found = {graph.trace.values[v].param for op in ops for v in graph.trace.ops[op].ins}
    return found - {-1}
