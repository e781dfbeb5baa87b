"""Divergences of a Gaussian from the standard one, written by hand as 1 + logvar - mu**2 - exp(logvar), with their sign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from whygrad.graph.signs import KEEPS
from whygrad.graph.sources import linear_step, name_of

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_SQUARES = {"pow", "square"}


class Divergence(NamedTuple):
    """``sign``: 1 where the loss makes it small, -1 where it makes it large; ``total``: what sums it, ``op``: its exp."""

    op: int
    total: int
    sign: int


def divergences(graph: Graph, loss: int) -> Iterator[Divergence]:
    """Those that are summands of a loss: exp(v) and a square with one sign, v itself with the other."""
    leaves = list(_leaves(graph, loss))
    signs = {value: sign for value, sign, _ in leaves}
    squares = {sign for value, sign, _ in leaves if name_of(graph, graph.trace.values[value].op) in _SQUARES}
    for value, sign, total in leaves:
        op = graph.trace.values[value].op
        if name_of(graph, op) == "exp" and sign in squares and signs.get(graph.trace.ops[op].ins[0]) == -sign:
            yield Divergence(op, total, sign)


def _leaves(graph: Graph, loss: int) -> Iterator[tuple[int, int, int]]:
    """(value, sign, the last sum or mean above it) of what a loss adds up."""
    queue = [(loss, 1, -1)]
    seen = 0
    while queue and seen < 200:
        value, sign, total = queue.pop()
        seen += 1
        own = graph.trace.values[value]
        if not own.requires_grad:
            continue
        parts = _parts(graph, own.op, sign) if own.op >= 0 and not _exponent(graph, value) else []
        if not parts:
            yield value, sign, total
        above = own.op if own.op >= 0 and name_of(graph, own.op) in ("sum", "mean") else total
        queue.extend((part, signed, above) for part, signed in parts)


def _exponent(graph: Graph, value: int) -> bool:
    """Whether exp is taken of a value."""
    return any(
        name_of(graph, op) == "exp" and graph.trace.ops[op].ins[0] == value
        for op in graph.flow.consumers.get(value, ())
    )


def _parts(graph: Graph, op: int, sign: int) -> list[tuple[int, int]]:
    name, ins = name_of(graph, op), graph.trace.ops[op].ins
    if name in KEEPS or name in ("add", "radd", "iadd"):
        return [(v, sign) for v in ins]
    step = linear_step(graph, op)
    if step is not None:
        return [] if step[0] == 0 else [(ins[0], sign if step[0] > 0 else -sign)]
    if name in ("sub", "isub", "subtract") and len(ins) == 2:
        return [(ins[0], sign), (ins[1], -sign)]
    return []
