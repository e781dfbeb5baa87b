"""The way from each parameter to the loss, operation by operation, and what autograd makes of each of them."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from whygrad.finding import Site, Station, Step, StepState
from whygrad.graph.flow import ALIASES

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


class Seen(NamedTuple):
    """What one backward pass did at an operation: the first of its nodes, the greatest gradient that arrived at it and
    the greatest that went on (None: none did)."""

    grad_fn: str
    arriving: float | None
    leaving: float | None


def seen(graph: Graph, backward: int) -> dict[int, Seen]:
    """For each operation in the autograd graph of a backward pass what happened there."""
    nodes = graph.trace.backwards[backward].nodes
    arriving: dict[int, float] = {}
    for node in nodes:
        for edge in node.edges:
            if edge.peak is not None:
                arriving[edge.to] = _greater(arriving.get(edge.to, 0.0), edge.peak)
    found: dict[int, Seen] = {}
    for index, node in enumerate(nodes):
        # the nodes stand in the order of the walk from the loss: the first of an operation is its result
        if node.op >= 0 and node.op not in found:
            peaks = [edge.peak for edge in node.edges if edge.peak is not None]
            leaving = None if not peaks else math.nan if any(map(math.isnan, peaks)) else max(peaks)
            found[node.op] = Seen(node.name, arriving.get(index), leaving)
    return found


def _greater(one: float, other: float) -> float:
    return math.nan if math.isnan(one) or math.isnan(other) else max(one, other)


def step(graph: Graph, op: int, state: StepState, there: Seen | None) -> Step | None:
    """An operation as a station of a path; None if its place is not known."""
    stack = graph.flow.kind(op).stack
    frames = graph.trace.stacks[stack] if stack >= 0 else ()
    if not frames:
        return None
    own = graph.trace.frames[frames[0]]
    return Step(
        graph.label(op),
        own.file,
        own.line,
        own.function,
        state,
        module=_module(graph, op),
        grad_fn=there.grad_fn if there else "",
        gradient=there.arriving if there else None,
    )


def _module(graph: Graph, op: int) -> str:
    """The module that called an operation: ``encoder.0 (Linear)``."""
    index = graph.trace.ops[op].module
    if not 0 <= index < len(graph.trace.learning.modules):
        return ""
    module = graph.trace.learning.modules[index]
    return f"{module.fqn} ({module.kind})" if module.fqn else module.kind


class Way(NamedTuple):
    """The ways to the losses of one backward pass: for each value the operation that takes it nearer to them, how far it
    is, and what autograd did at the operations. ``live``: only through operations that the pass came to."""

    backward: int
    live: bool
    towards: dict[int, int]
    distance: dict[int, int]
    there: dict[int, Seen]


class Routes:
    """A shortest way from each parameter to the loss of the last pass that it reaches, as stations that parameters
    share: one that the gradient takes where there is one, else one by value. They are added to ``stations``."""

    def __init__(self, graph: Graph, stations: list[Station]) -> None:
        self._graph = graph
        self._stations = stations
        self._found: dict[tuple[int, bool, int], int | None] = {}
        self._ways: dict[tuple[int, bool], Way] = {}

    def begin(self, param: int) -> int | None:
        """The index of the first station on the way of a parameter, None if no way was seen."""
        passes = self._graph.flow.by_value.get(param)
        if not passes:
            return None
        for live in (True, False):
            way = self._way(passes[-1], live)
            own = [v for v in self._graph.flow.values_of.get(param, ()) if v in way.distance]
            if own:
                return self._station(way, min(own, key=way.distance.__getitem__))
        return None

    def _way(self, backward: int, live: bool) -> Way:
        if (backward, live) not in self._ways:
            other = self._ways.get((backward, not live))
            there = other.there if other else seen(self._graph, backward)
            trace = self._graph.trace
            towards: dict[int, int] = {}
            distance = dict.fromkeys(trace.backwards[backward].losses, 0)
            queue = deque(distance)
            while queue:
                vid = queue.popleft()
                value = trace.values[vid]
                if value.op < 0 or value.param >= 0 or (live and value.op not in there):
                    continue
                for source in trace.ops[value.op].ins:
                    if source not in distance:
                        towards[source], distance[source] = value.op, distance[vid] + 1
                        queue.append(source)
            self._ways[backward, live] = Way(backward, live, towards, distance, there)
        return self._ways[backward, live]

    def _station(self, way: Way, start: int) -> int | None:
        """The station of the operation that takes the value ``start``, made with all that follow."""
        chain: list[tuple[int, int]] = []
        value, following = start, None
        while value in way.towards:
            op = way.towards[value]
            if (way.backward, way.live, op) in self._found:
                following = self._found[way.backward, way.live, op]
                break
            chain.append((op, value))
            outs = self._graph.trace.ops[op].outs
            value = min((v for v in outs if v in way.distance), key=way.distance.__getitem__)
        for op, came in reversed(chain):
            there = way.there.get(op)
            made = step(self._graph, op, self._state(op, came, there), there)
            if made is not None:
                self._stations.append(
                    Station(**{name: getattr(made, name) for name in Step.__struct_fields__}, next=following)
                )
                following = len(self._stations) - 1
            self._found[way.backward, way.live, op] = following
        return following

    def _state(self, op: int, came: int, there: Seen | None) -> StepState:
        """``cut``: what goes in is in an autograd graph, and what comes out is not in the same one. ``zero``: a gradient
        arrives, and nothing usable goes on."""
        trace = self._graph.trace
        outs = [trace.values[v] for v in trace.ops[op].outs]
        onward = self._graph.flow.kind(op).inside or any(v.requires_grad and not v.leaf for v in outs)
        if trace.values[came].requires_grad and not onward:
            return "cut"
        arrives = there is not None and there.arriving and math.isfinite(there.arriving)
        if arrives and there and there.leaving is not None and not 0 < there.leaving < math.inf:
            return "zero"
        return "ok"


def first_use(graph: Graph, param: int) -> Site | None:
    """The first operation that computes with a parameter, its name as the role. Copies and writes do not count."""
    uses = (op for op in graph.flow.uses(param) if graph.flow.kind(op).name not in ALIASES)
    return next((site for op in uses for site in graph.op_sites(op, graph.label(op), 0)), None)
