"""Values that were written in place after an operation had saved them for its backward."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

#: Operations whose result lies in the storage of their first input (some of them only if they need not copy).
_VIEWS = {
    "view", "view_as", "reshape", "reshape_as", "flatten", "unflatten", "ravel", "transpose", "t", "T", "mT", "H",
    "permute", "swapaxes", "movedim", "squeeze", "unsqueeze", "__getitem__", "select", "narrow", "chunk", "split",
    "unbind", "expand", "expand_as", "diagonal", "unfold", "detach", "data", "contiguous", "to", "float", "double",
    "real", "imag", "alias", "as_strided", "broadcast_to", "tensor_split", "__iter__",
}  # fmt: skip
_SHAPE = re.compile(r"\[[\w.]*Tensor \[([\d, ]*)\]\]")
_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


class Write:
    """A write in place. ``step``: it was done by an optimizer's step."""

    __slots__ = ("name", "stack", "step", "tick")

    def __init__(self, tick: int, stack: int, name: str, step: bool = False) -> None:
        self.tick, self.stack, self.name, self.step = tick, stack, name, step


def versions(message: str) -> tuple[int, int] | None:
    """(version found, version expected) from autograd's message."""
    found = _VERSIONS.search(message)
    return (int(found.group(1)), int(found.group(2))) if found else None


def shape_in(message: str) -> tuple[int, ...] | None:
    """The shape of the tensor that autograd's message speaks of."""
    found = _SHAPE.search(message)
    return tuple(int(n) for n in found.group(1).split(",") if n.strip()) if found else None


def in_place(graph: Graph, op: int) -> bool:
    """Whether an operation writes its first input."""
    kind = graph.flow.kind(op)
    name = kind.name
    if name.startswith("__"):
        return name == "__setitem__" or (
            name[2] == "i" and name not in ("__invert__", "__iter__", "__index__")
        )
    last = max((k for k in kind.args if k.isdigit()), key=int, default="")
    flagged = kind.args.get("inplace", kind.args.get(last)) == "True"
    return name.endswith("_") or (flagged and ("inplace" in kind.args or "dropout" in name))


def family(graph: Graph, vid: int) -> set[int]:
    """Values that lie, or may lie, in the same storage as a value: views of it, what it views, what it became."""
    trace, flow = graph.trace, graph.flow
    found, queue = {vid}, deque([vid])
    while queue:
        own = queue.popleft()
        made = trace.values[own].op
        near: list[int] = []
        if made >= 0 and _same_storage(graph, made) and trace.ops[made].ins:
            near += trace.ops[made].ins[:1]
        for op in flow.consumers.get(own, ()):
            if trace.ops[op].ins[0] == own and _same_storage(graph, op):
                near += trace.ops[op].outs
        if trace.values[own].param >= 0:
            near += flow.values_of[trace.values[own].param]
        for other in near:
            if other not in found:
                found.add(other)
                queue.append(other)
    return found


def _renormed(graph: Graph, op: int, vid: int) -> bool:
    """Whether an embedding scales the rows of its weight before it looks them up (``max_norm``)."""
    kind, ins = graph.flow.kind(op), graph.trace.ops[op].ins
    limit = kind.args.get("max_norm", kind.args.get("3", "None"))
    return kind.name == "embedding" and len(ins) > 1 and ins[1] == vid and limit != "None"


def _same_storage(graph: Graph, op: int) -> bool:
    return graph.flow.kind(op).name in _VIEWS or in_place(graph, op)


def writes_after(graph: Graph, saver: int, until: int, shape: tuple[int, ...] | None) -> list[Write]:
    """Writes to what an operation was given or made, after it and before tick ``until``, the first one first.

    ``shape``: of the tensor that was modified; operands of another shape are looked at only if none has it."""
    trace, op = graph.trace, graph.trace.ops[saver]
    operands = list(dict.fromkeys([*op.outs, *op.ins]))
    tiers = [operands]
    if shape is not None:
        same = [v for v in operands if trace.values[v].shape == shape]
        turned = [v for v in operands if sorted(trace.values[v].shape) == sorted(shape)]
        tiers = [same, turned, operands]
    for tier in tiers:
        found = {
            (w.tick, w.stack): w for vid in tier for w in _writes(graph, family(graph, vid), op.tick, until)
        }
        if found:
            return [found[key] for key in sorted(found)]
    return [w for vid in operands for w in _early_writes(graph, vid, until)][:1]


def _early_writes(graph: Graph, vid: int, until: int) -> Iterator[Write]:
    """The last write to a parameter before the first backward: told without its time, but there must be one."""
    for index in {graph.trace.values[v].param for v in family(graph, vid)} - {-1}:
        own = graph.trace.params[index]
        if own.written >= 0 and not graph.updates.backwards_before(until):
            yield Write(until, own.written, own.written_by.strip("_"))


def _writes(graph: Graph, values: set[int], after: int, until: int) -> Iterator[Write]:
    trace = graph.trace
    params = {trace.values[v].param for v in values} - {-1}
    for vid in values:
        for op in graph.flow.consumers.get(vid, ()):
            own = trace.ops[op]
            target = own.ins[0] == vid and in_place(graph, op)
            if after < own.tick < until and (target or _renormed(graph, op, vid)):
                yield Write(own.tick, graph.flow.kind(op).stack, graph.label(op))
    for event in trace.events:
        touched = event.kind == "overwrite" and not values.isdisjoint(event.values)
        touched = touched or (event.kind == "write" and not params.isdisjoint(event.params))
        if touched and after < event.tick < until:
            yield Write(event.tick, event.stack, str(event.data.get("op", "")).strip("_"))
    for step in trace.steps:
        if after < step.tick < until and any(
            r.param in params and graph.updates.moved(r) for r in step.params
        ):
            yield Write(step.tick, step.stack, "step", step=True)
