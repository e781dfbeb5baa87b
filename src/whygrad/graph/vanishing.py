"""Zero gradients told by mechanism: which operation turned a gradient into zeros, and what it was given."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad import trace as t
from whygrad.graph.gradients import Loss

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_ROUND = ("Round", "Floor", "Ceil", "Trunc", "Sign", "Frac", "Heaviside", "Fix", "FloorDivide", "Remainder")
_GATES = (
    "Relu", "Threshold", "Hardtanh", "Clamp", "Sigmoid", "Tanh", "Hardsigmoid", "Hardswish", "Elu", "Softplus", "Silu",
    "Gelu", "Minimum", "Maximum", "Selu", "Celu", "Mish", "Hardshrink", "Softshrink", "LeakyRelu",
)  # fmt: skip
_PRODUCTS = (
    "Mul",
    "Mm",
    "Addmm",
    "Bmm",
    "Baddbmm",
    "Div",
    "Convolution",
    "Matmul",
    "Linear",
    "Dot",
    "Mv",
    "Einsum",
)
_NEAR = 6  #: operations looked back from a loss of gradient for an all-zero weight


class Vanished:
    """The parameters whose gradient the same operations lost in the same way. ``how`` is one of ``nonfinite``,
    ``none``, ``hook``, ``one-element-softmax``, ``rounded``, ``zero-weights``, ``gate``, ``zero-factor``, ``other``."""

    def __init__(self, how: str, params: list[int], losses: list[Loss]) -> None:
        self.how, self.params, self.losses = how, params, losses


def vanished(graph: Graph, *ways: str) -> Iterator[Vanished]:
    """Groups of parameters with a zero or non-finite gradient that was lost in one of ``ways``."""
    groups: dict[object, Vanished] = {}
    for index in [*graph.sick(6), *(i for i in graph.sick(5) if graph.gradients.reached.get(i))]:
        losses = graph.lost(index)
        how, key = _classify(graph, index, losses)
        if how in ways:
            own = groups.setdefault((how, key), Vanished(how, [], losses))
            own.params.append(index)
    yield from groups.values()


def _classify(graph: Graph, index: int, losses: list[Loss]) -> tuple[str, object]:
    if not losses:
        return ("other", graph.trace.params[index].root) if graph.broken[index] == 6 else ("unseen", None)
    ways = [_way(graph, loss) for loss in losses]
    places = tuple(sorted({_stack(graph, loss) for loss in losses}))
    if "nonfinite" in ways:
        bad = [loss for loss, way in zip(losses, ways, strict=True) if way == "nonfinite"]
        losses[:] = bad
        return "nonfinite", _stack(graph, bad[0])
    if graph.broken[index] == 5:
        return ("none", places) if "none" in ways else ("unseen", None)
    zero = zero_parameters(graph, index, losses)
    if zero:
        return "zero-weights", graph.trace.params[zero[0]].root
    for way in ("one-element-softmax", "rounded", "gate", "zero-factor", "hook", "none"):
        if way in ways:
            losses[:] = [loss for loss, own in zip(losses, ways, strict=True) if own == way]
            return way, _stack(graph, losses[0])
    return "other", places


def _stack(graph: Graph, loss: Loss) -> int:
    return graph.flow.kind(loss.op).stack if loss.op >= 0 else -1


def _way(graph: Graph, loss: Loss) -> str:
    if loss.how in ("nonfinite", "none", "hook"):
        return loss.how
    name = loss.name.rpartition("::")[2].removesuffix("0").removesuffix("Backward")
    if "oftmax" in name and one_element(graph, loss.op):
        return "one-element-softmax"
    if name.startswith(_ROUND):
        return "rounded"
    if zero_operands(graph, loss.op) and name.startswith(_PRODUCTS):
        return "zero-factor"
    if name.startswith(_GATES):
        return "gate"
    return "other"


def one_element(graph: Graph, op: int) -> bool:
    """Whether a softmax runs over a dimension of size 1."""
    if op < 0:
        return False
    args, outs = graph.flow.kind(op).args, graph.trace.ops[op].outs
    shape = graph.trace.values[outs[0]].shape
    dim = args.get("dim", args.get("1", "-1"))
    try:
        return bool(shape) and shape[int(dim)] == 1
    except (ValueError, IndexError):
        return False


def probes(graph: Graph, op: int) -> list[t.Probe]:
    """Second looks at the kind of an operation (same place, same function)."""
    if op < 0:
        return []
    kind = graph.trace.ops[op].kind
    return [p for p in graph.trace.probes if graph.trace.ops[p.op].kind == kind]


def zero_operands(graph: Graph, op: int) -> list[int]:
    """Ids of the values that an operation was given and that were zero throughout, at every look."""
    looks = probes(graph, op)
    if not looks:
        return []
    zero = [
        {o.position for o in look.operands if o.place == "in" and o.low == o.high == 0 and not o.nonfinite}
        for look in looks
    ]
    positions = set.intersection(*zero)
    return [o.value for o in looks[-1].operands if o.place == "in" and o.position in positions]


def zero_parameters(graph: Graph, index: int, losses: list[Loss]) -> list[int]:
    """Parameters that are zero throughout and stayed so, just before the operations where the gradient was lost:
    each holds the other's gradient at zero."""
    trace = graph.trace
    found: dict[int, None] = {}
    for loss in losses:
        queue = deque([(loss.op, 0)] if loss.op >= 0 else [])
        seen = {loss.op}
        while queue:
            op, far = queue.popleft()
            for vid in trace.ops[op].ins:
                value = trace.values[vid]
                if value.param >= 0:
                    if _stays_zero(graph, value.param):
                        found.setdefault(value.param)
                elif value.op >= 0 and value.op not in seen and far < _NEAR and _zero_value(graph, value.op):
                    seen.add(value.op)
                    queue.append((value.op, far + 1))
    return list(found)


def _zero_value(graph: Graph, op: int) -> bool:
    """Whether the results of an operation's kind were zero at every look (unknown counts as yes: an upstream
    operation has its own probe only if a gradient was lost there too)."""
    looks = probes(graph, op)
    outs = [o for look in looks for o in look.operands if o.place == "out"]
    return all(o.low == o.high == 0 for o in outs)


def _stays_zero(graph: Graph, index: int) -> bool:
    own = graph.trace.params[index]
    weight = len(own.shape) > 1 and not own.norm_layer
    return weight and own.first is not None and own.first[1] == 0 and (own.last is None or own.last[1] == 0)
