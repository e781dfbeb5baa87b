"""Operations in which an axis of samples was laid against itself: ``[N]`` with ``[N, 1]`` gives ``[N, N]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.graph.outer import Outer, outer
from whygrad.graph.pairs_averaged import below, only_averaged, separable
from whygrad.graph.pairs_meant import meant
from whygrad.graph.plain import SUMS, plain_name

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_TERMS = {"add", "sub", "subtract"}


def outers(graph: Graph) -> list[Outer]:
    """Every such operation on the way to a loss whose pairs nobody makes use of: they are only averaged or summed."""
    found: list[Outer] = []
    for backward, history in enumerate(graph.flow.loss_histories):
        ops = {graph.trace.values[v].op for v in history if graph.trace.values[v].param < 0} - {-1}
        laid = [one for op in sorted(ops) if (one := outer(graph, op, backward)) is not None]
        descend = below(graph, [one.op for one in laid], history) if laid else set()
        for one in laid:
            if plain_name(graph.flow.kind(one.op).name) in _TERMS and _terms(graph, one, history):
                continue  # the mean of all a + b is the mean of a plus the mean of b: no gradient is another one
            asked = meant(graph, one) and not separable(graph, one, history)
            if not asked and only_averaged(graph, one, history, descend):
                found.append(one)
    return _first_of_each(graph, found)


def _terms(graph: Graph, one: Outer, history: set[int]) -> bool:
    """Whether to what was added nothing is done but adding single numbers and averaging."""
    values = graph.trace.values
    queue = [v for v in graph.trace.ops[one.op].outs if v in history]
    for vid in queue:
        for op in graph.flow.consumers.get(vid, ()):
            outs, ins = [v for v in graph.trace.ops[op].outs if v in history], graph.trace.ops[op].ins
            name = plain_name(graph.flow.kind(op).name)
            single = (
                name in _TERMS and ins.count(vid) == 1 and not any(values[v].shape for v in ins if v != vid)
            )
            if outs and name not in SUMS and name != "neg" and not single:
                return False
            queue += [v for v in outs if values[v].shape and v not in queue]
    return True


def _first_of_each(graph: Graph, found: list[Outer]) -> list[Outer]:
    """Of several in one history only those that come first: what is computed from one is no fault of its own."""
    kept = []
    for backward in dict.fromkeys(one.backward for one in found):
        own = [one for one in found if one.backward == backward]
        for one in own:
            others = [o.op for o in own if o.op < one.op]
            after = below(graph, others, graph.flow.loss_histories[backward])
            if after.isdisjoint(graph.trace.ops[one.op].ins):
                kept.append(one)
    return kept


def by_place(graph: Graph, found: list[Outer]) -> Iterator[list[Outer]]:
    """Those of one place together, where at least half of the passes through it have it."""
    places: dict[int, list[Outer]] = {}
    for one in found:
        places.setdefault(graph.flow.kind(one.op).stack, []).append(one)
    for stack, own in places.items():
        through = {b for b, v in _passes(graph, stack) if v}
        if 2 * len({one.backward for one in own}) >= len(through):
            yield own


def _passes(graph: Graph, stack: int) -> Iterator[tuple[int, bool]]:
    kinds = {i for i, kind in enumerate(graph.trace.kinds) if kind.stack == stack}
    ticks = [b.tick for b in graph.trace.backwards]
    for op in graph.trace.ops:
        if op.kind in kinds:
            yield next((i for i, tick in enumerate(ticks) if tick > op.tick), -1), True
