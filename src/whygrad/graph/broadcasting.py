"""Operations in which an axis of samples was laid against itself: ``[N]`` with ``[N, 1]`` gives ``[N, N]``."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.graph.plain import ELEMENTWISE, LOSSES, RESHAPES, SUMS, plain_name

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Functions that expect two operands of one shape: no pairwise computation is written with them.
_ALIKE = LOSSES - {"cross_entropy", "nll_loss"}
_LINEAR = {"add", "sub", "subtract", "mul", "multiply", "div", "divide", "truediv", "true_divide"}
_HANDED_ON = {
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


def outers(graph: Graph) -> list[Outer]:
    """Every such operation on the way to a loss whose pairs nobody makes use of: they are only averaged or summed."""
    found: list[Outer] = []
    for backward, history in enumerate(graph.flow.loss_histories):
        ops = {graph.trace.values[v].op for v in history if graph.trace.values[v].param < 0} - {-1}
        laid = [one for op in sorted(ops) if (one := _outer(graph, op, backward)) is not None]
        descend = _below(graph, [one.op for one in laid], history) if laid else set()
        for one in laid:
            asked = _meant(graph, one) and not _separable(graph, one, history)
            if not asked and _only_averaged(graph, one, history, descend):
                found.append(one)
    return _first_of_each(graph, found)


def _first_of_each(graph: Graph, found: list[Outer]) -> list[Outer]:
    """Of several in one history only those that come first: what is computed from one is no fault of its own."""
    kept = []
    for backward in dict.fromkeys(one.backward for one in found):
        own = [one for one in found if one.backward == backward]
        for one in own:
            others = [o.op for o in own if o.op < one.op]
            below = _below(graph, others, graph.flow.loss_histories[backward])
            if below.isdisjoint(graph.trace.ops[one.op].ins):
                kept.append(one)
    return kept


def _outer(graph: Graph, op: int, backward: int) -> Outer | None:
    name = plain_name(graph.flow.kind(op).name)
    loss = name in _ALIKE
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


def _meant(graph: Graph, one: Outer) -> bool:
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
            or plain_name(graph.flow.kind(value.op).name) not in ELEMENTWISE | _HANDED_ON | RESHAPES
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
        if not same or name not in ELEMENTWISE | _HANDED_ON:
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


def _below(graph: Graph, ops: list[int], history: set[int]) -> set[int]:
    """All values of a history that were computed from what some operations made."""
    found = {v for op in ops for v in graph.trace.ops[op].outs}
    queue = deque(found)
    while queue:
        for op in graph.flow.consumers.get(queue.popleft(), ()):
            fresh = [v for v in graph.trace.ops[op].outs if v in history and v not in found]
            found.update(fresh)
            queue.extend(fresh)
    return found


def _only_averaged(graph: Graph, one: Outer, history: set[int], laid: set[int]) -> bool:
    """Whether everything between the operation and the loss works element by element or sums up."""
    if one.loss and graph.trace.values[graph.trace.ops[one.op].outs[0]].shape == ():
        return True
    queue = deque(v for v in graph.trace.ops[one.op].outs if v in history)
    seen = set(queue)
    while queue:
        vid = queue.popleft()
        for op in graph.flow.consumers.get(vid, ()):
            outs = [v for v in graph.trace.ops[op].outs if v in history]
            if not outs:
                continue
            if not _averages(graph, op, vid, laid):
                return False
            fresh = [v for v in outs if v not in seen and len(graph.trace.values[v].shape)]
            seen.update(fresh)
            queue.extend(fresh)
    return bool(seen)


def _separable(graph: Graph, one: Outer, history: set[int]) -> bool:
    """Whether the pairs are products, quotients, sums or differences that are added up at once: the mean over all pairs is
    then that of the means, and nobody can have meant that."""
    if plain_name(graph.flow.kind(one.op).name) not in _LINEAR:
        return False
    values = graph.trace.values
    queue = [v for v in graph.trace.ops[one.op].outs if v in history]
    for vid in queue:
        for op in graph.flow.consumers.get(vid, ()):
            outs = [v for v in graph.trace.ops[op].outs if v in history]
            name = plain_name(graph.flow.kind(op).name)
            others = [values[v].shape for v in graph.trace.ops[op].ins if v != vid]
            plain = name in SUMS or name == "neg" or (name in _LINEAR and not any(map(len, others)))
            if outs and not plain:
                return False
            queue += [v for v in outs if values[v].shape and v not in queue]
    return True


def _averages(graph: Graph, op: int, vid: int, laid: set[int]) -> bool:
    """Whether an operation makes no use of which pair is which: an operand as large as the value itself that is not made
    of pairs too (a mask, a matrix of labels) would."""
    name, ins = plain_name(graph.flow.kind(op).name), graph.trace.ops[op].ins
    if name not in LOSSES and all(graph.trace.values[v].shape == () for v in graph.trace.ops[op].outs):
        return True
    if name in ("max", "min") and len(ins) < 2:
        return False
    if name not in ELEMENTWISE | SUMS | RESHAPES | _HANDED_ON | _ALIKE or name == "getitem":
        return False
    shape = graph.trace.values[vid].shape
    if name in ("stack", "cat", "concat") or sum(n > 1 for n in shape) < 2:
        return True
    return all(v in laid or graph.trace.values[v].shape != shape for v in ins)


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


def behind(graph: Graph, op: int) -> list[int]:
    """The parameters that lie behind an operation."""
    values = [graph.trace.values[v] for v in graph.flow.upstream(graph.trace.ops[op].ins)]
    return sorted({v.param for v in values if v.param >= 0 and graph.trace.params[v.param].named})
