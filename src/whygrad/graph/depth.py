"""Gradients by depth: how large they are from the last layer of a model to its first."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_LAYERS = {
    "linear", "conv1d", "conv2d", "conv3d", "matmul", "__matmul__", "mm", "addmm", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d",
}  # fmt: skip
_LEAST = 4  #: layers one after the other
_STEADY = 0.6  #: share of the steps from layer to layer that go the same way


class Depth(NamedTuple):
    """The layers of one chain in forward order, ``ops`` their operations, ``norms`` the gradient (root mean square of
    the elements, in the median pass) of each weight."""

    params: tuple[int, ...]
    ops: tuple[int, ...]
    norms: tuple[float, ...]

    def fall(self) -> float:
        """The gradient of the first layers over that of the last ones."""
        third = max(1, len(self.norms) // 3)
        return _middle(self.norms[:third]) / _middle(self.norms[-third:])

    def steady(self, down: bool) -> bool:
        """Whether most steps towards the first layer go down (or up)."""
        pairs = list(zip(self.norms[1:], self.norms[:-1], strict=True))
        return sum((a > b) == down for a, b in pairs) >= _STEADY * len(pairs)

    def turn(self, factor: float) -> int:
        """From the loss backwards, the first layer whose gradient is ``factor`` times that of the last one, or beyond."""
        for i in range(len(self.norms) - 1, -1, -1):
            share = self.norms[i] / self.norms[-1]
            if share <= factor < 1 or share >= factor > 1:
                return i
        return 0


def chains(graph: Graph) -> list[Depth]:
    """For every model the layers that follow each other, as the first pass used them."""
    found = []
    first: dict[int, int] = {}
    for param in graph.updates.holders:
        own = graph.trace.params[param]
        uses = [op for op in graph.flow.uses(param) if graph.flow.kind(op).name in _LAYERS]
        if len(own.shape) > 1 and uses and graph.gradients.good(param):
            first[param] = uses[0]
    for chain in _apart(graph, sorted(first, key=lambda p: first[p]), first):
        norms = [_gradient(graph, p) for p in chain]
        if len(chain) >= _LEAST and all(n > 0 and math.isfinite(n) for n in norms):
            found.append(Depth(tuple(chain), tuple(first[p] for p in chain), tuple(norms)))
    return found


def _apart(graph: Graph, ordered: list[int], first: dict[int, int]) -> list[list[int]]:
    """Those that work on what the one before gave, one list for each chain."""
    made: dict[int, int] = {}
    lists: list[list[int]] = []
    for param in ordered:
        before = _before(graph, first[param], set(first.values()))
        where = made.get(before)
        if where is None:
            where = len(lists)
            lists.append([])
        lists[where].append(param)
        made[first[param]] = where
        made.pop(before, None)
    return lists


def _before(graph: Graph, op: int, layers: set[int]) -> int:
    """The nearest layer whose result ``op`` works on, -1 if there is none within a few operations."""
    stack, seen = [(op, 0)], {op}
    while stack:
        now, far = stack.pop(0)
        if now != op and now in layers:
            return now
        for vid in graph.trace.ops[now].ins:
            value = graph.trace.values[vid]
            if value.op >= 0 and value.param < 0 and value.op not in seen and far < 8:
                seen.add(value.op)
                stack.append((value.op, far + 1))
    return -1


def _gradient(graph: Graph, param: int) -> float:
    size = math.sqrt(max(1, math.prod(graph.trace.params[param].shape)))
    return statistics.median([g.norm for _, g in graph.gradients.good(param)]) / size


def _middle(numbers: tuple[float, ...]) -> float:
    return math.exp(statistics.fmean([math.log(n) for n in numbers]))
