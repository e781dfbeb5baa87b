"""Whether the pairs that a broadcast makes are only averaged or summed, so that nobody makes use of which is which."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from whygrad.graph.outer import ALIKE, HANDED_ON, Outer
from whygrad.graph.plain import ELEMENTWISE, LOSSES, RESHAPES, SUMS, plain_name

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_LINEAR = {"add", "sub", "subtract", "mul", "multiply", "div", "divide", "truediv", "true_divide"}


def below(graph: Graph, ops: list[int], history: set[int]) -> set[int]:
    """All values of a history that were computed from what some operations made."""
    found = {v for op in ops for v in graph.trace.ops[op].outs}
    queue = deque(found)
    while queue:
        for op in graph.flow.consumers.get(queue.popleft(), ()):
            fresh = [v for v in graph.trace.ops[op].outs if v in history and v not in found]
            found.update(fresh)
            queue.extend(fresh)
    return found


def only_averaged(graph: Graph, one: Outer, history: set[int], laid: set[int]) -> bool:
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


def separable(graph: Graph, one: Outer, history: set[int]) -> bool:
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
    if name not in ELEMENTWISE | SUMS | RESHAPES | HANDED_ON | ALIKE or name == "getitem":
        return False
    shape = graph.trace.values[vid].shape
    if name in ("stack", "cat", "concat") or sum(n > 1 for n in shape) < 2:
        return True
    return all(v in laid or graph.trace.values[v].shape != shape for v in ins)
