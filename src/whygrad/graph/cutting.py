"""Cuts told by kind: what sort of operation took a value out of the autograd graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_DETACH = {"detach", "detach_", "data"}
_REBUILD = {
    "tensor", "as_tensor", "asarray", "torch.Tensor", "torch.from_numpy", "from_numpy", "new_tensor", "scalar_tensor",
    "frombuffer", "__array__", "torch.FloatTensor", "torch.DoubleTensor", "torch.HalfTensor",
    "Variable",
}  # fmt: skip
_FLOATS = ("float", "bfloat", "complex")
#: Kinds in the order in which they are blamed where a parameter meets several: an index that selects is an
#: everyday thing beside a cut of the values themselves.
KINDS = ("escaped", "rebuilt", "custom", "no-grad", "straight-through", "detach", "non-differentiable")


def kind_of(graph: Graph, op: int) -> str:
    """One of KINDS for an operation that ends a differentiable path."""
    kind, outs = graph.flow.kind(op), graph.trace.ops[op].outs
    values = [graph.trace.values[v] for v in outs]
    if kind.name.endswith(".apply"):
        return "custom"
    if kind.name in _REBUILD:
        return "escaped" if escapes(graph, op) else "rebuilt"
    if not any(v.dtype.startswith(_FLOATS) for v in values if not v.requires_grad):
        return "non-differentiable"
    if kind.name in _DETACH:
        return "straight-through" if straight_through(graph, op) is not None else "detach"
    if kind.grad_off != -1:
        return "no-grad"
    return "rebuilt" if all(v.leaf and v.requires_grad for v in values) else "non-differentiable"


def escapes(graph: Graph, op: int) -> list[t.Event]:
    """Where the values that ``op`` was made of had become numbers before, on another line (``.item()``, NumPy)."""
    ins, here = set(graph.trace.ops[op].ins), graph.statement(graph.flow.kind(op).stack)
    events = graph.updates.events.get("escape", ())
    return [e for e in events if ins.intersection(e.values) and graph.statement(e.stack) != here]


def straight_through(graph: Graph, op: int) -> int | None:
    """If ``op`` is the detach of a straight-through estimator ``z + (c - z).detach()``, the id of its result."""
    trace, flow = graph.trace, graph.flow
    for vid in trace.ops[op].ins:
        made = trace.values[vid].op
        if made < 0 or flow.kind(made).name.strip("_") not in ("sub", "rsub", "subtract"):
            continue
        terms = set(trace.ops[made].ins)
        for out in trace.ops[op].outs:
            for user in flow.consumers.get(out, ()):
                if flow.kind(user).name.strip("_") in ("add", "radd", "iadd") and terms & set(
                    trace.ops[user].ins
                ):
                    return trace.ops[user].outs[0]
    return None


def cut_parameters(graph: Graph) -> Iterator[tuple[int, int, list[tuple[str, int]]]]:
    """For every parameter whose path to the loss is cut: (parameter, backward pass or -1, [(kind, operation)]),
    the cuts of the last such pass, those to blame first."""
    trace = graph.trace
    for index in dict.fromkeys([*graph.sick(5), *_cut_at_last(graph)]):
        passes = graph.flow.by_value.get(index, [])
        cuts: list[int] = []
        which = -1
        for which in reversed(passes):
            cuts = graph.flow.cuts(index, which)
            if cuts:
                break
        if not cuts and not trace.backwards:
            cuts = _last_of_each_kind(graph, graph.flow.live_downstream(index)[1])
        told = [(kind_of(graph, op), op) for op in cuts]
        yield index, which, sorted(told, key=lambda k: (KINDS.index(k[0]), k[1]))


def _cut_at_last(graph: Graph) -> list[int]:
    """Parameters of an optimizer that reach by value the loss of a backward pass that failed for want of a graph."""
    last = len(graph.trace.backwards) - 1
    if last < 0 or "does not require grad" not in graph.trace.backwards[last].raised:
        return []
    params = graph.trace.params
    held = [
        i for i, passes in graph.flow.by_value.items() if passes[-1] == last and i in graph.updates.holders
    ]
    for optimizer in {number for i in held for number, _ in graph.updates.holders[i]}:
        own = {p for g in graph.trace.optimizers[optimizer].groups for p in g.params}
        if not any(params[i].requires_grad for i in own):
            return []  # it is their turn, and all of them are frozen
    return [i for i in held if params[i].requires_grad]


def _last_of_each_kind(graph: Graph, ops: list[int]) -> list[int]:
    latest = {trace_kind: op for op in ops for trace_kind in (graph.trace.ops[op].kind,)}
    return sorted(latest.values())


def blamed(graph: Graph, *kinds: str) -> Iterator[tuple[list[int], int, list[int]]]:
    """Groups of parameters with the same cuts of which the first is of one of ``kinds``:
    (parameters, backward pass, the operations to blame)."""
    groups: dict[tuple[int, ...], tuple[list[int], int, list[int]]] = {}
    for index, which, told in graph.cut:
        if not told or told[0][0] not in kinds:
            continue
        ops = [op for kind, op in told if kind == told[0][0]]
        key = tuple(graph.flow.kind(op).stack for op in ops)
        groups.setdefault(key, ([], which, ops))[0].append(index)
    yield from groups.values()


def grad_off(graph: Graph, op: int) -> t.Event | None:
    """The event that had switched autograd off when an operation ran."""
    index = graph.flow.kind(op).grad_off
    return graph.trace.events[index] if index >= 0 else None
