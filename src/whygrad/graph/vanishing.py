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
_ADDS_FIRST = ("addmm", "baddbmm", "addbmm", "addmv")
_ADDS_THIRD = ("linear", "bilinear")
_SUMS = ("add", "radd", "iadd", "sub", "rsub", "isub")
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
    zero = zero_parameters(graph, losses)
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
    if one_element(graph, loss):
        return "one-element-softmax"
    if name.startswith(_ROUND):
        return "rounded"
    if name.startswith(_PRODUCTS) and (zero_operands(graph, loss.op) or zero_number(graph, loss.op)):
        return "zero-factor"
    flat = _flat(graph, name, loss.op)
    if hooks_at(graph, loss) and not flat:
        return "hook"
    return "gate" if name.startswith(_GATES) and flat is not False else "other"


def _flat(graph: Graph, name: str, op: int) -> bool | None:
    """Whether an activation was seen to be flat for all that it was given (None: not known)."""
    highs = [o.high for p in probes(graph, op) for o in p.operands if o.place == "in"]
    return all(high <= 0 for high in highs) if name.startswith("Relu") and highs else None


def hooks_at(graph: Graph, loss: Loss) -> list[t.Event]:
    """Hooks that stood between an operation's result and the operation, or around the module it belongs to."""
    if loss.op < 0:
        return []
    hooks = graph.updates.events.get("hook", [])
    if loss.name.startswith("BackwardHookFunction"):
        return [h for h in hooks if h.data.get("how") == "module"]
    outs = set(graph.trace.ops[loss.op].outs)
    return [h for h in hooks if outs & set(h.values)]


def one_element(graph: Graph, loss: Loss) -> bool:
    """Whether a gradient was lost at a softmax that runs over a single element."""
    return graph.trace.backwards[loss.backward].nodes[loss.node].width == 1


def held_back(graph: Graph) -> dict[int, list[int]]:
    """Optimizer -> parameters with usable gradients that it never stepped, while others of its own got NaN or infinite
    ones: a GradScaler or the script itself leaves out a step as a whole."""
    bad = {i for group in vanished(graph, "nonfinite") for i in group.params}
    holders, found = graph.updates.holders, {}
    for number in {o for i in bad for o, _ in holders.get(i, ())}:
        found[number] = [
            i
            for i in graph.sick(7, 8)
            if number in {o for o, _ in holders.get(i, ())} and not graph.updates.rows.get(i)
        ]
    return found


def probes(graph: Graph, op: int) -> list[t.Probe]:
    """Second looks at the kind of an operation (same place, same function)."""
    if op < 0:
        return []
    kind = graph.trace.ops[op].kind
    return [p for p in graph.trace.probes if graph.trace.ops[p.op].kind == kind]


def nonfinite_makers(graph: Graph, op: int) -> list[int]:
    """Operations upstream of ``op`` (or itself) that made non-finite numbers out of finite ones in the forward pass."""
    spoilt = graph.updates.spoilt
    found: dict[int, None] = {}
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
            made = graph.trace.values[operand.value].op if operand.value >= 0 else -1
            if made >= 0 and made not in seen:
                seen.add(made)
                queue.append(made)
    return list(found)


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


def zero_number(graph: Graph, op: int) -> bool:
    """Whether an operation multiplies by the Python number 0."""
    if op < 0 or len(graph.trace.ops[op].ins) != 1:
        return False
    kind = graph.flow.kind(op)
    return kind.name.strip("_") in ("mul", "rmul", "imul", "multiply") and kind.args.get("1") in (
        "0",
        "0.0",
        "-0.0",
        "False",
    )


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
                    if _stays_zero(graph, value.param) and _multiplies(graph, op, position):
                        found.setdefault(value.param)
                elif value.op >= 0 and value.op not in seen and far < _NEAR and _zero_value(graph, value.op):
                    seen.add(value.op)
                    queue.append((value.op, far + 1))
    return list(found)


def _multiplies(graph: Graph, op: int, position: int) -> bool:
    """Whether an operand is a factor of the result, not something added to it."""
    name = graph.flow.kind(op).name.strip("_")
    if name in _ADDS_FIRST:
        return position > 0
    if name.endswith("norm"):
        return position < len(graph.trace.ops[op].ins) - 1
    if name in _ADDS_THIRD or name.startswith("conv"):
        return position < 2
    return not name.startswith(_SUMS)


def _zero_value(graph: Graph, op: int) -> bool:
    """Whether the results of an operation's kind were zero at every look (unknown counts as yes: an upstream
    operation has its own probe only if a gradient was lost there too)."""
    looks = probes(graph, op)
    outs = [o for look in looks for o in look.operands if o.place == "out"]
    return all(o.low == o.high == 0 for o in outs)


def _stays_zero(graph: Graph, index: int) -> bool:
    own = graph.trace.params[index]
    return own.first is not None and own.first[1] == 0 and (own.last is None or own.last[1] == 0)
