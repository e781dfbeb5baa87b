"""Graphs that go back through earlier iterations, and graphs that are kept although nothing goes back through them."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_PASSES = 3  #: passes whose graphs must have grown, each beyond the one before
_BYTES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}


class Growing(NamedTuple):
    """Passes of one place, each of which went through the graph of the one before as well; ``sizes``: their operations;
    ``join``: where the last one took up what was left of the iteration before."""

    passes: list[int]
    sizes: list[int]
    join: int
    params: list[int]


class Kept(NamedTuple):
    """Results of one operation that are added up without end: ``op`` is the last one, ``links`` their number, ``bytes``
    what the graph of one link holds; ``freed``: a backward pass has been through it (then little is left)."""

    op: int
    links: int
    bytes: int
    nodes: int
    freed: bool


def growing(graph: Graph) -> Iterator[Growing]:
    """For each place of ``backward`` the first run of passes with growing graphs."""
    places: dict[int, list[int]] = {}
    for index, backward in enumerate(graph.trace.backwards):
        if backward.kind == "backward" and backward.nodes and not backward.in_step:
            places.setdefault(backward.stack, []).append(index)
    ticks = sorted({u.tick for uses in graph.deposits.uses.values() for u in uses})
    for passes in places.values():
        run: list[int] = []
        shared = 0
        for before, now in pairwise(passes):
            again = _again(graph, before, now, ticks)
            if again > shared:
                run = run or [before]
                run.append(now)
            elif len(run) > _PASSES:
                break
            else:
                run = []
            shared = again
        if len(run) > _PASSES:
            join = _join(graph, run, ticks)
            if join >= 0:
                sizes = [len(graph.flow.ops_of(b)) for b in run]
                reached = sorted(graph.trace.backwards[run[-1]].reached)
                yield Growing(run, sizes, join, [p for p in reached if p in graph.updates.holders])


def _again(graph: Graph, before: int, now: int, ticks: list[int]) -> int:
    """How many operations that the pass before had gone through, and a step has used since, a pass went through again,
    if it went through more than that one; else 0."""
    old, new = graph.flow.ops_of(before), graph.flow.ops_of(now)
    first, second = graph.trace.backwards[before].tick, graph.trace.backwards[now].tick
    stepped = bisect.bisect(ticks, first) < bisect.bisect(ticks, second)
    return len(old & new) if stepped and len(new) > len(old) else 0


def _join(graph: Graph, run: list[int], ticks: list[int]) -> int:
    """The first operation after the last step that takes a value of the graph before it; -1 if there is none."""
    old = graph.flow.ops_of(run[-2])
    last = graph.trace.backwards[run[-2]].tick
    for op in sorted(graph.flow.ops_of(run[-1]) - old):
        values = [graph.trace.values[v] for v in graph.trace.ops[op].ins]
        if graph.trace.ops[op].tick > last and any(v.op in old and v.requires_grad for v in values):
            return op
    return -1


def kept(graph: Graph) -> Iterator[Kept]:
    """Sums of one number each that were carried on over several forward passes, and that no backward pass went through
    although others came later."""
    trace, flow = graph.trace, graph.flow
    last = max((b.tick for b in trace.backwards), default=-1)
    used = {op for b in range(len(trace.backwards)) for op in flow.ops_of(b)}
    chains: dict[int, int] = {}
    ends: dict[int, int] = {}
    for index, op in enumerate(trace.ops):
        if flow.kind(index).name.strip("_") not in ("add", "iadd") or index in used or not op.outs:
            continue
        out = trace.values[op.outs[0]]
        if not out.requires_grad or math.prod(out.shape) != 1:
            continue
        links = [
            v for v in op.ins if (made := trace.values[v].op) in chains and trace.ops[made].kind == op.kind
        ]
        before = trace.values[links[0]].op if links else -1
        chains[index] = chains.get(before, 0) + 1
        ends.pop(before, None)
        ends[index] = index
    for end in ends:
        links_count = chains[end]
        fresh = [
            v
            for v in trace.ops[end].ins
            if trace.values[v].op not in chains and trace.values[v].requires_grad
        ]
        if links_count < _PASSES or not fresh or trace.ops[end].tick > last:
            continue
        own = flow.upstream(fresh[:1])
        freed = trace.values[fresh[0]].op in used
        params = {trace.values[v].param for v in own} - {-1}
        if params:
            yield Kept(
                end, links_count, _size(graph, own), len({trace.values[v].op for v in own} - {-1}), freed
            )


def _size(graph: Graph, values: set[int]) -> int:
    total = 0
    for vid in values:
        value = graph.trace.values[vid]
        if value.param < 0 and value.op >= 0:
            total += math.prod(value.shape) * _BYTES.get(value.dtype, 4)
    return total
