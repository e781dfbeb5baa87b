"""What autocast does to the operations of a run, and why it does nothing where it does nothing."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Operations that autocast runs in half precision, on every device.
EAGER = {
    "linear", "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "mv", "addmm", "addmv", "addbmm", "baddbmm", "einsum",
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "bilinear",
    "scaled_dot_product_attention",
}  # fmt: skip
_HALVES = {"float16", "bfloat16"}


class Idle(NamedTuple):
    """Autocast regions without any effect. ``why``: ``device``, ``outside``, ``double``, ``off`` (switched off within:
    ``inner``) or ``leaves``; ``inside`` and ``outside`` count the products that ran in full precision there."""

    region: t.Region
    why: str
    inside: int
    outside: int
    op: int
    inner: t.Region | None = None


def idle(graph: Graph) -> Idle | None:
    """Autocast that was entered again and again while training, though nothing ran in half precision."""
    known = graph.trace.learning.precision
    on = [r for r in known.regions if r.enabled]
    passes = [b.tick for b in graph.trace.backwards]
    if not on or len(passes) < 2 or not _around_passes(on, passes):
        return None
    products = [i for i, op in enumerate(graph.trace.ops) if _product(graph, op)]
    if not products or any(_halved(graph, i) for i in range(len(graph.trace.ops))):
        return None
    within = [i for i in products if _in(graph, i, on)]
    trained = [
        i for i in products if any(graph.trace.values[v].requires_grad for v in graph.trace.ops[i].outs)
    ]
    outside = [i for i in trained if i not in within]
    first = (within or outside or [-1])[0]
    if known.devices and on[0].device not in known.devices:
        return Idle(on[0], "device", len(within), len(outside), first)
    if not within:
        return Idle(on[0], "outside", 0, len(outside), first) if outside else None
    if all(graph.trace.values[v].dtype == "float64" for i in within for v in graph.trace.ops[i].outs):
        return Idle(on[0], "double", len(within), len(outside), first)
    off = [r for r in known.regions if not r.enabled and r.device == on[0].device]
    inner = next((r for r in off if _in(graph, first, [r])), None)
    return Idle(on[0], "off" if inner else "leaves", len(within), len(outside), first, inner)


def _around_passes(regions: list[t.Region], passes: list[int]) -> bool:
    """Whether a region was entered before most of the backward passes."""
    bounds = [0, *passes]
    entered = sum(any(a < r.begun < b for r in regions) for a, b in itertools.pairwise(bounds))
    return any(r.ended < 0 for r in regions) or 2 * entered > len(passes)


def _product(graph: Graph, op: t.Op) -> bool:
    return graph.trace.kinds[op.kind].name in EAGER and bool(op.outs)


def _halved(graph: Graph, op: int) -> bool:
    return any(graph.trace.values[v].dtype in _HALVES for v in graph.trace.ops[op].outs)


def _in(graph: Graph, op: int, regions: list[t.Region]) -> bool:
    tick = graph.trace.ops[op].tick
    return any(r.begun < tick < (math.inf if r.ended < 0 else r.ended) for r in regions)
