"""Operations that lay an axis of samples against itself: which they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.graph.plain import ELEMENTWISE, LOSSES, plain_name

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Functions that expect two operands of one shape: no pairwise computation is written with them.
ALIKE = LOSSES - {"cross_entropy", "nll_loss"}
#: Functions that only hand on, join or measure what they are given.
HANDED_ON = {
    "to", "float", "double", "half", "type", "clone", "contiguous", "detach", "data", "requires_grad_", "cpu", "cuda",
    "stack", "cat", "concat", "norm", "vector_norm", "linalg_norm", "linalg_vector_norm",
}  # fmt: skip


class Outer:
    """One such operation: its two operands (value ids) and whether it is a loss function. ``high`` has the size-1 axis
    inside its shape, ``low`` lacks it."""

    __slots__ = ("backward", "high", "loss", "low", "n", "op", "shape")

    def __init__(
        self, op: int, backward: int, high: int, low: int, n: int, shape: tuple[int, ...], loss: bool
    ) -> None:
        self.op, self.backward, self.high, self.low = op, backward, high, low
        self.n, self.shape, self.loss = n, shape, loss


def outer(graph: Graph, op: int, backward: int) -> Outer | None:
    """What an operation laid against itself, if it did and both operands depend on data."""
    name = plain_name(graph.flow.kind(op).name)
    loss = name in ALIKE
    if not loss and name not in ELEMENTWISE:
        return None
    ins = graph.trace.ops[op].ins[: 2 if loss else 3]
    for i, first in enumerate(ins):
        for second in ins[i + 1 :]:
            one, other = graph.trace.values[first].shape, graph.trace.values[second].shape
            for a, b, high, low in ((one, other, first, second), (other, one, second, first)):
                n = _against_itself(a, b)
                if n and all(_of_samples(graph, v) for v in (first, second)):
                    return Outer(op, backward, high, low, n, _joined(a, b), loss)
    return None


def _against_itself(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """The size n of an axis that ``a`` has before one of size 1 and that ``b`` has in the place of that 1, while ``b`` has
    1 or nothing in the place of the first; 0 if there is none. ``a`` is the one with more axes, or as many."""
    if len(a) < len(b):
        return 0
    b = (1,) * (len(a) - len(b)) + b
    for i, n in enumerate(a):
        if n > 1 and b[i] == 1:
            for j in range(i + 1, len(a)):
                if a[j] == 1 and b[j] == n:
                    return n
    return 0


def _joined(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    b = (1,) * (len(a) - len(b)) + b
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


def _of_samples(graph: Graph, vid: int) -> bool:
    """Whether a value depends on data: what is made of parameters alone has no axis of samples."""
    value = graph.trace.values[vid]
    return value.param < 0 and (value.op < 0 or vid in graph.flow.from_data)
