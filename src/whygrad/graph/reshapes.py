"""The reshapes of a run that cut across axes, and what came to lie together by them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from whygrad.graph.axis_flow import Axes, axes_of
from whygrad.graph.axis_rules import RESHAPES
from whygrad.graph.regrouping import Crossing, crossings

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_GROWN = {"pad", "cat", "concat", "concatenate", "constant_pad_nd"}
_CUTS = {"__getitem__", "narrow", "contiguous"}
_SHIFTS = 4


class Crossed(NamedTuple):
    """A place where a reshape cuts across axes, with the shapes at its first time; ``op`` is -1 for data that no
    parameter lies behind."""

    stack: int
    op: int
    name: str
    given: tuple[int, ...]
    wanted: tuple[int, ...]
    crossing: Crossing


def crossed(graph: Graph) -> Iterator[Crossed]:
    """The places, in order. Where a line reshapes other shapes well, at least every other time must cut across."""
    axes = axes_of(graph)
    found: dict[
        tuple[int | str, ...], list[Crossed | None]
    ] = {}  # by line and function: q, k and v share one
    for op in axes.ops:
        kind, record = graph.flow.kind(op), graph.trace.ops[op]
        if kind.name in RESHAPES and kind.stack >= 0 and record.ins[0] in graph.flow.from_data:
            line = graph.trace.stacks[kind.stack][:1]
            found.setdefault((*line, kind.name), []).append(_crossed(graph, axes, op))
    for calls in found.values():
        bad = [one for one in calls if one is not None]
        if bad and 2 * len(bad) >= len(calls):
            yield bad[0]
    yield from _of_data(graph, axes)


def _crossed(graph: Graph, axes: Axes, op: int) -> Crossed | None:
    record, kind = graph.trace.ops[op], graph.flow.kind(op)
    given, wanted = graph.trace.values[record.ins[0]].shape, graph.trace.values[record.outs[0]].shape
    own = [one for one in crossings(given, wanted) if not _stacked(graph, kind.stack, one)]
    if not own or not _still_crossed(axes, record.ins[0], wanted, own) or _skewed(graph, op):
        return None
    return None if _put_back(graph, op, given) else Crossed(kind.stack, op, kind.name, given, wanted, own[0])


def _stacked(graph: Graph, stack: int, crossing: Crossing) -> bool:
    """Two sizes of which one is a multiple of the other: to exchange them and to stack neighbouring frames asks for the
    same shape. A size that is divided in the source says which was meant."""
    (small, great), rest = sorted(crossing.given[:2]), crossing.given[2:]
    frames = graph.trace.stacks[stack]
    divides = bool(frames) and "//" in graph.trace.frames[frames[0]].code
    return divides and not rest and len(crossing.wanted) == 2 and great % small == 0


def _still_crossed(axes: Axes, vid: int, wanted: tuple[int, ...], own: list[Crossing]) -> bool:
    """An axis that was merged from others earlier may be split again at the old border: no crossing at all."""
    atoms = [axes.sizes[a] for axis in axes.layout(vid) for a in axis]
    return bool(crossings(atoms, wanted)) if len(atoms) <= 12 else bool(own)


def _skewed(graph: Graph, op: int) -> bool:
    """The relative shift of attention: one element is added to each row, the rows are read anew, and perhaps cut and read
    again."""
    for _ in range(_SHIFTS):
        given = graph.trace.ops[op].ins
        op = graph.trace.values[given[0]].op if given else -1
        if op < 0:
            return False
        name = graph.flow.kind(op).name
        if name in _GROWN:
            return _one_more(graph, op)
        if name not in RESHAPES and name not in _CUTS:
            return False
    return False


def _one_more(graph: Graph, op: int) -> bool:
    values, record = graph.trace.values, graph.trace.ops[op]
    great = max((values[v].shape for v in record.ins), key=math.prod)
    made = values[record.outs[0]].shape
    return len(great) == len(made) and sum(made) - sum(great) == 1


def _put_back(graph: Graph, op: int, given: tuple[int, ...]) -> bool:
    """Whether nothing reads the new axes: all that follows is another reshape, to a shape that fits the first one."""
    record = graph.trace.ops[op]
    users = [user for out in record.outs for user in graph.flow.consumers.get(out, ())]
    return bool(users) and all(
        graph.flow.kind(user).name in RESHAPES
        and not crossings(given, graph.trace.values[graph.trace.ops[user].outs[0]].shape)
        for user in users
    )


def _of_data(graph: Graph, axes: Axes) -> Iterator[Crossed]:
    """Only where the sizes are those of whole axes: data may be cut into pieces as one likes."""
    seen: set[int] = set()
    used = {v for op in axes.ops for v in graph.trace.ops[op].ins}
    for row in graph.trace.learning.regrouped:
        own = [one for one in crossings(row.given, row.wanted) if one.moved]
        if own and row.stack not in seen and row.value in used:
            seen.add(row.stack)
            yield Crossed(row.stack, -1, "view", row.given, row.wanted, own[0])
