"""Softmax weights that pool something: over which dimension they were normalised, and over which they are summed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.graph.axes import softmax_dim
from whygrad.graph.sources import name_of

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_KEEPS = ("dropout", "unsqueeze", "masked_fill", "contiguous", "to", "float", "type_as", "nan_to_num")
_PRODUCTS = ("matmul", "bmm", "rmatmul")


def pooled_elsewhere(graph: Graph) -> Iterator[tuple[int, int]]:
    """(softmax, the sum over its weights) where the weights sum to 1 over the samples, and are summed over another
    dimension."""
    batches = {
        graph.trace.values[look.scores].shape[:1] for look in graph.trace.learning.losses if look.scores >= 0
    }
    for op, one in enumerate(graph.trace.ops):
        if name_of(graph, op) != "softmax" or not one.outs or not one.ins:
            continue
        shape = graph.trace.values[one.outs[0]].shape
        if len(shape) < 2 or shape[0] < 2 or shape[:1] not in batches or softmax_dim(graph, op) != 0:
            continue
        end = _pooled(graph, one.outs[0], shape[0])
        if end >= 0:
            yield op, end


def _pooled(graph: Graph, value: int, samples: int) -> int:
    """The operation that sums over another dimension than the first with these weights; -1 if there is none."""
    for _ in range(6):
        shape = graph.trace.values[value].shape
        if not shape or shape[0] != samples:
            return -1
        onward = -1
        for user in graph.flow.consumers.get(value, ()):
            name, ins = name_of(graph, user), graph.trace.ops[user].ins
            outs = graph.trace.ops[user].outs
            if len(shape) > 2 and outs and graph.trace.values[outs[0]].shape[:1] == (samples,):
                if (
                    name in _PRODUCTS
                    and ins[0] == value
                    and len(graph.trace.values[ins[-1]].shape) == len(shape)
                ):
                    return user
                if name in ("mul", "rmul", "multiply") and len(ins) == 2:
                    return _summed(graph, outs[0], samples)
            if name in _KEEPS and outs:
                onward = outs[0]
        value = onward
        if value < 0:
            return -1
    return -1


def _summed(graph: Graph, value: int, samples: int) -> int:
    shape = graph.trace.values[value].shape
    users = graph.flow.consumers.get(value, ())
    for user in users:
        outs = graph.trace.ops[user].outs
        if name_of(graph, user) != "sum" or not outs or len(users) > 1:
            continue
        out = graph.trace.values[outs[0]].shape
        args = graph.flow.kind(user).args
        dim = args.get("dim", args.get("1", ""))
        if out[:1] == (samples,) and dim.lstrip("-").isdigit() and 0 < int(dim) % len(shape) < len(shape) - 1:
            return user
    return -1
