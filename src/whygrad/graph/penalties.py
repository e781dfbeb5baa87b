"""Penalties on weights that a loss holds: which parameters, with which factor, and how hard they pull."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t
from whygrad.graph.sources import linear_step, name_of

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_SUMS = {
    "sum",
    "stack",
    "cat",
    "hstack",
    "squeeze",
    "view",
    "reshape",
    "clone",
    "to",
    "float",
    "getitem",
    "unsqueeze",
}
_NORMS = {"norm", "linalg_norm", "linalg_vector_norm", "vector_norm", "matrix_norm", "linalg_matrix_norm"}
_TERMS = 2000


class Penalty(NamedTuple):
    """``factor`` times the sum of squares (``kind`` square), the norm (norm) or the sum of absolute values (abs) of a
    parameter enters what a pass starts from. ``op`` takes the square; ``joined``: the operation that joins it to the loss, ``turned``:
    the one that turned its sign last (-1: none was seen)."""

    param: int
    kind: str
    factor: float
    op: int
    joined: int
    turned: int

    def pull(self, row: t.StepParam, numel: int) -> float:
        """The L2 norm of its gradient, at what a step found."""
        if self.kind == "square":
            return 2 * abs(self.factor) * row.norm
        return abs(self.factor) * (1.0 if self.kind == "norm" else math.sqrt(numel))


def penalties(graph: Graph, backward: int) -> list[Penalty]:
    """All of them in the loss of a pass, where anything else is in it, too. Only sums, and products with numbers, are
    followed: a factor that is a tensor is unknown."""
    losses = graph.trace.backwards[backward].losses
    found: list[Penalty] = []
    others = False
    queue = [(losses[0], 1.0, -1, -1)] if len(losses) == 1 else []
    seen = 0
    while queue and seen < _TERMS:
        seen += 1
        vid, factor, joined, turned = queue.pop()
        own = graph.trace.values[vid]
        if not own.requires_grad or own.op < 0:
            continue
        one = _penalty(graph, own.op, factor, joined, turned)
        if one is not None:
            found.append(one)
            continue
        parts = _parts(graph, own.op, factor, joined)
        others = others or parts is None
        for part, scaled, place in parts or ():
            queue.append((part, scaled, place, own.op if scaled * factor < 0 else turned))
    return found if others else []


def _parts(graph: Graph, op: int, factor: float, joined: int) -> list[tuple[int, float, int]] | None:
    """What an operation adds up, with its factors; None if it does something else."""
    name, ins = name_of(graph, op), graph.trace.ops[op].ins
    step = linear_step(graph, op)
    if step is not None:
        return [(ins[0], factor * step[0], joined)]
    if name in ("add", "radd", "iadd") and len(ins) == 2:
        mine = joined if joined >= 0 else op
        return [(v, factor, mine) for v in ins]
    if name in ("sub", "isub", "subtract") and len(ins) == 2:
        mine = op if joined < 0 else joined
        return [(ins[0], factor, mine), (ins[1], -factor, mine)]
    if name == "mean" and ins:
        return [(ins[0], factor / max(1, math.prod(graph.trace.values[ins[0]].shape)), joined)]
    return [(v, factor, joined) for v in ins] if name in _SUMS and ins else None


def _penalty(graph: Graph, op: int, factor: float, joined: int, turned: int) -> Penalty | None:
    name, ins, args = name_of(graph, op), graph.trace.ops[op].ins, graph.flow.kind(op).args
    if not ins:
        return None
    if name == "pow" and args.get("1", args.get("exponent")) in ("2", "2.0"):
        inner = graph.trace.values[ins[0]].op
        if name_of(graph, inner) in _NORMS:
            return _of(graph, graph.trace.ops[inner].ins[0], "square", factor, op, (joined, turned))
        return _of(graph, ins[0], "square", factor, op, (joined, turned))
    if name == "square" or (name == "mul" and len(ins) == 2 and ins[0] == ins[1]):
        return _of(graph, ins[0], "square", factor, op, (joined, turned))
    if name in _NORMS and args.get("1", args.get("p", args.get("ord", "2"))) in ("2", "2.0", "fro", "None"):
        return _of(graph, ins[0], "norm", factor, op, (joined, turned))
    if name == "abs":
        return _of(graph, ins[0], "abs", factor, op, (joined, turned))
    return None


def _of(
    graph: Graph, value: int, kind: str, factor: float, op: int, places: tuple[int, int]
) -> Penalty | None:
    own = graph.trace.values[value]
    while own.param < 0 and own.op >= 0 and name_of(graph, own.op) in ("view", "reshape", "flatten", "float"):
        own = graph.trace.values[graph.trace.ops[own.op].ins[0]]
    return Penalty(own.param, kind, factor, op, *places) if own.param >= 0 else None
