"""Dimensions: over which one a softmax runs, and where the classes go when a tensor is reshaped on its way to a loss."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from whygrad.graph.sources import PASSIVE, name_of

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_INTEGER = re.compile(r"-?\d+")
_SWAPS = ("transpose", "swapaxes", "swapdims")
_SHAPES = (
    "view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "view_as", "reshape_as", "ravel",
    "atleast_2d",
)  # fmt: skip
_LAST = ("linear", "addmm")


class Axis(NamedTuple):
    """The dimension along which a layer's outputs lie, where it was followed to (-1: it was mixed with others by
    operation ``mixer``), its size, and the layer's operation."""

    at: int
    size: int
    maker: int
    mixer: int = -1


def softmax_dim(graph: Graph, op: int) -> int:
    """The dimension a softmax runs over, counted from 0; -1 if it is not known."""
    kind = graph.flow.kind(op)
    ndim = len(graph.trace.values[graph.trace.ops[op].ins[0]].shape)
    given = kind.args.get("dim", "" if name_of(graph, op) == "gumbel_softmax" else kind.args.get("1", ""))
    if given == "None" or (not given and name_of(graph, op) != "gumbel_softmax"):
        return 0 if ndim in (0, 1, 3) else 1  # what torch takes, with a warning
    return int(given) % ndim if _INTEGER.fullmatch(given or "-1") and ndim else -1


def class_axis(graph: Graph, value: int) -> Axis | None:
    """Where the outputs of the layer that a value comes from lie in it; None if that can't be told."""
    chain: list[int] = []
    while len(chain) < 40:
        own = graph.trace.values[value]
        if own.op < 0 or own.param >= 0:
            return None
        name, ins = name_of(graph, own.op), graph.trace.ops[own.op].ins
        if name in _LAST or re.fullmatch(r"conv(_transpose)?[123]d", name):
            return _follow(graph, own.op, name, chain[::-1])
        carried = [v for v in ins if graph.trace.values[v].requires_grad and graph.trace.values[v].param < 0]
        if len(carried) != 1 or not (
            name in PASSIVE or graph.trace.values[carried[0]].shape == own.shape or name == "permute"
        ):
            return None
        chain.append(own.op)
        value = carried[0]
    return None


def _follow(graph: Graph, maker: int, name: str, chain: list[int]) -> Axis | None:
    shape = graph.trace.values[graph.trace.ops[maker].outs[0]].shape
    at = len(shape) - 1 if name in _LAST else len(shape) - 1 - int(name[-2])
    if at < 0:
        return None
    end = followed(graph, shape, at, chain)
    return None if end is None else Axis(end[0], shape[at], maker, end[1])


def followed(graph: Graph, shape: tuple[int, ...], at: int, chain: list[int]) -> tuple[int, int] | None:
    """Where dimension ``at`` of a shape lies after some operations, and -1; or -1 and the operation that mixed it with
    others; None if that can't be told."""
    for op in chain:
        out = graph.trace.values[graph.trace.ops[op].outs[0]].shape
        kind, args = name_of(graph, op), graph.flow.kind(op).args
        moved: int | None
        if kind in _SWAPS:
            moved = _swapped(at, args, len(shape))
        elif kind in ("permute", "t", "T", "mT"):
            moved = _permuted(at, kind, args, len(shape))
        elif kind in _SHAPES:
            moved = reshaped(shape, out, at)
        else:
            moved = at if out == shape else None
        if moved is None:
            return None
        if moved < 0:
            return -1, op
        at, shape = moved, out
    return at, -1


def _swapped(at: int, args: dict[str, str], ndim: int) -> int | None:
    pair = [args.get("1", args.get("dim0", "")), args.get("2", args.get("dim1", ""))]
    if not all(_INTEGER.fullmatch(p) for p in pair):
        return None
    one, other = (int(p) % ndim for p in pair)
    return other if at == one else one if at == other else at


def _permuted(at: int, kind: str, args: dict[str, str], ndim: int) -> int | None:
    if kind in ("t", "T"):
        return ndim - 1 - at
    if kind == "mT":
        return {ndim - 1: ndim - 2, ndim - 2: ndim - 1}.get(at, at)
    text = ",".join(args[k] for k in sorted(args))
    order = [int(n) % ndim for n in _INTEGER.findall(text)]
    return order.index(at) if sorted(order) == list(range(ndim)) else None


def reshaped(before: tuple[int, ...], after: tuple[int, ...], at: int) -> int | None:
    """Where dimension ``at`` of a shape lies after a reshape: -1 if it was mixed with others, None if it can't be told
    (split into several, or of size 1)."""
    if 0 in before or math.prod(before) != math.prod(after) or before[at] == 1:
        return None
    i = j = 0
    while i < len(before):
        ins, outs, a, b = [i], list[int](), before[i], 1
        i += 1
        while a != b or not outs:
            if a < b and i < len(before):
                ins.append(i)
                a, i = a * before[i], i + 1
            elif j < len(after):
                outs.append(j)
                b, j = b * after[j], j + 1
            elif not outs and a == b:
                break  # trailing ones
            else:
                return None
        if at in ins:
            many = [n for n in ins if before[n] > 1], [n for n in outs if after[n] > 1]
            return _in_group(*many, before, after, at)
    return None


def _in_group(
    ins: list[int], outs: list[int], before: tuple[int, ...], after: tuple[int, ...], at: int
) -> int | None:
    if ins == [at]:
        return outs[0] if len(outs) == 1 else None
    if at == ins[-1] and after[outs[-1]] == before[at]:
        return outs[-1]
    if at == ins[0] and after[outs[0]] == before[at]:
        return outs[0]
    return -1
