"""What an operation that lost a gradient had been given: zeros, non-finite numbers, an empty selection."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from whygrad import trace as t
from whygrad.graph.gradients import Loss

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_SCALES = {"mul", "rmul", "imul", "multiply", "div", "truediv", "divide", "einsum", "prelu"}
#: Operations that do not give zero for zero.
_LIFTS = {
    "sigmoid",
    "exp",
    "softmax",
    "log_softmax",
    "softplus",
    "logsigmoid",
    "cos",
    "cosh",
    "sigmoid_",
    "exp_",
}
_SELECTS = ("Where", "MaskedFill", "MaskedSelect", "MaskedScatter")
_NEAR = 6  #: operations looked back from a loss of gradient for an all-zero weight


def probes(graph: Graph, op: int) -> list[t.Probe]:
    """Second looks at the kind of an operation (same place, same function)."""
    return graph.flow.probes.get(graph.trace.ops[op].kind, []) if op >= 0 else []


def nonfinite_makers(graph: Graph, op: int) -> tuple[list[int], list[t.Value]]:
    """Operations upstream of ``op`` (or itself) that made non-finite numbers out of finite ones in the forward pass,
    and the values from outside the model that were not finite."""
    spoilt = graph.updates.spoilt
    found: dict[int, None] = {}
    outside: dict[int, t.Value] = {}
    queue, seen = deque([op]), {op}
    while queue:
        now = queue.popleft()
        looks = [p for p in probes(graph, now) if graph.trace.ops[p.op].tick < spoilt]
        bad = {
            place: [o for p in looks for o in p.operands if o.place == place and o.nonfinite]
            for place in ("in", "out")
        }
        if bad["out"] and not bad["in"]:
            found.setdefault(now)
        for operand in bad["in"]:
            if operand.value < 0:
                continue
            value = graph.trace.values[operand.value]
            if value.op < 0 and value.param < 0:
                outside.setdefault(value.created, value)
            elif value.op >= 0 and value.op not in seen:
                seen.add(value.op)
                queue.append(value.op)
    return list(found), list(outside.values())


def zero_operands(graph: Graph, op: int) -> list[int]:
    """Ids of the values that an operation was given and that were zero throughout, at every look."""
    return constant_operands(graph, op, 0.0)


def constant_operands(graph: Graph, op: int, number: float) -> list[int]:
    """Ids of the values that an operation was given and that were ``number`` throughout, at every look."""
    looks = probes(graph, op)
    constant = [
        {
            o.position
            for o in look.operands
            if o.place == "in" and o.low == o.high == number and not o.nonfinite
        }
        for look in looks
    ]
    if looks and graph.flow.shared(graph.trace.ops[op].kind):
        # a line that runs several times a pass (layers of a Sequential, terms of a sum): the looks are at any of them
        looks, constant = [p for p, c in zip(looks, constant, strict=True) if c], [c for c in constant if c]
    if not looks:
        return []
    positions = set.intersection(*constant)
    return [o.value for o in looks[-1].operands if o.place == "in" and o.position in positions]


def zero_number(graph: Graph, op: int) -> bool:
    """Whether an operation multiplies by the Python number 0."""
    if op < 0 or len(graph.trace.ops[op].ins) != 1:
        return False
    kind = graph.flow.kind(op)
    zero = kind.args.get("1") in ("0", "0.0", "-0.0", "False")
    return kind.name.strip("_") in ("mul", "rmul", "imul", "multiply") and zero


def nothing_selected(graph: Graph, loss: Loss) -> list[int] | None:
    """If an operation passed on nothing of its input (an empty index, a mask that is constant, labels that are all to
    be ignored): the ids of the values that made the choice."""
    if loss.op < 0:
        return None
    trace, op = graph.trace, graph.trace.ops[loss.op]
    empty = [v for v in (*op.ins, *op.outs) if 0 in trace.values[v].shape]
    if empty:
        made = trace.values[empty[0]].op
        ins = trace.ops[made].ins if made >= 0 else ()
        return [v for v in ins if not trace.values[v].requires_grad]
    if loss.name.startswith(_SELECTS):
        masks = [*constant_operands(graph, loss.op, 0.0), *constant_operands(graph, loss.op, 1.0)]
        masks = [v for v in masks if v >= 0 and trace.values[v].dtype == "bool"]
        return masks or None
    if loss.name.startswith("NllLoss"):
        ignored = float(graph.flow.kind(loss.op).args.get("ignore_index", "-100"))
        return [v for v in constant_operands(graph, loss.op, ignored) if v >= 0] or None
    return None


def zero_parameters(graph: Graph, losses: list[Loss]) -> list[int]:
    """Parameters that are zero throughout and stayed so, just before the operations where the gradient was lost:
    each holds the other's gradient at zero."""
    trace = graph.trace
    found: dict[int, None] = {}
    for loss in losses:
        queue = deque([(loss.op, 0)] if loss.op >= 0 else [])
        seen = {loss.op}
        while queue:
            op, far = queue.popleft()
            for position, vid in enumerate(trace.ops[op].ins):
                value = trace.values[vid]
                if value.param >= 0:
                    if _stays_zero(graph, value.param) and _scales(graph, op, position, value):
                        found.setdefault(value.param)
                elif value.op >= 0 and value.op not in seen and far < _NEAR and _zero_value(graph, value.op):
                    seen.add(value.op)
                    queue.append((value.op, far + 1))
    return list(found)


def _scales(graph: Graph, op: int, position: int, value: t.Value) -> bool:
    """Whether an operand is a factor of the result, not something added to it (a bias may well be zero)."""
    name = graph.flow.kind(op).name.strip("_")
    if len(value.shape) > 1:
        return name.removeprefix("r").removeprefix("i") not in ("add", "sub")
    if name.endswith("norm"):
        return position < len(graph.trace.ops[op].ins) - 1
    return name in _SCALES


def _zero_value(graph: Graph, op: int) -> bool:
    """Whether the results of an operation's kind were zero at every look. An operation that nobody looked at counts as
    zero where it gives zero for zero: it is looked at only if a gradient was lost there too."""
    outs = [o for look in probes(graph, op) for o in look.operands if o.place == "out"]
    if not outs:
        return graph.flow.kind(op).name.strip("_") not in _LIFTS
    return all(o.low == o.high == 0 for o in outs)


def _stays_zero(graph: Graph, index: int) -> bool:
    own = graph.trace.params[index]
    return own.first is not None and own.first[1] == 0 and (own.last is None or own.last[1] == 0)
