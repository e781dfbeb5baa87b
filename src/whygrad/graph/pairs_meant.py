"""Whether the pairs that a broadcast makes were asked for, by how the operands got their shapes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from whygrad.graph.outer import HANDED_ON, Outer
from whygrad.graph.plain import ELEMENTWISE, RESHAPES, plain_name

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


def meant(graph: Graph, one: Outer) -> bool:
    """Whether the pairs were asked for: the axis was made in the very statement, or both operands are one value, or the
    row was made a row on purpose."""
    values = graph.trace.values
    high, low = values[one.high], values[one.low]
    shaped = _maker(graph, one.high)
    if len(high.shape) == len(low.shape) and _is_shaping(graph, _maker(graph, one.low)):
        return True
    if one.loss:
        return False
    if shaped < 0:
        made = values[_root(graph, one.high)].created
        return made >= 0 and _same_statement(graph, made, graph.flow.kind(one.op).stack)
    if not _is_shaping(graph, shaped):
        return False
    if _same_statement(graph, graph.flow.kind(shaped).stack, graph.flow.kind(one.op).stack):
        return True
    base = set(graph.trace.ops[shaped].ins)
    return not base.isdisjoint(_same_shape_line(graph, one.low))


def _is_shaping(graph: Graph, op: int) -> bool:
    if op < 0:
        return False
    kind = graph.flow.kind(op)
    return (
        plain_name(kind.name) in RESHAPES
        or kind.args.get("keepdim") == "True"
        or kind.args.get("2") == "True"
    )


def _same_shape_line(graph: Graph, vid: int) -> list[int]:
    """A value, and those of the same shape that it was made of one by one."""
    line = [vid]
    for one in line:
        value = graph.trace.values[one]
        if (
            value.op < 0
            or plain_name(graph.flow.kind(value.op).name) not in ELEMENTWISE | HANDED_ON | RESHAPES
        ):
            continue
        for before in graph.trace.ops[value.op].ins:
            alike = math.prod(graph.trace.values[before].shape) == math.prod(value.shape)
            if before not in line and alike and len(line) < 20:
                line.append(before)
    return line


def _root(graph: Graph, vid: int) -> int:
    """The first value of the same shape that a value was made of, element by element."""
    while True:
        value = graph.trace.values[vid]
        if value.op < 0 or value.param >= 0:
            return vid
        name = plain_name(graph.flow.kind(value.op).name)
        same = [v for v in graph.trace.ops[value.op].ins if graph.trace.values[v].shape == value.shape]
        if not same or name not in ELEMENTWISE | HANDED_ON:
            return vid
        vid = same[0]


def _maker(graph: Graph, vid: int) -> int:
    """The operation that gave a value its shape, -1 if that lies before what was recorded."""
    return graph.trace.values[_root(graph, vid)].op


def shape_made(graph: Graph, vid: int) -> int:
    """The stack where a value got its shape, -1 if unknown."""
    root = _root(graph, vid)
    op = graph.trace.values[root].op
    return graph.flow.kind(op).stack if op >= 0 else graph.trace.values[root].created


def _same_statement(graph: Graph, one: int, other: int) -> bool:
    if min(one, other) < 0:
        return False
    a, b = (graph.trace.frames[graph.trace.stacks[s][0]] for s in (one, other))
    return (a.file, a.function, a.statement or a.line) == (b.file, b.function, b.statement or b.line)
