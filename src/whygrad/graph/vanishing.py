"""Zero and non-finite gradients told by mechanism: which operation lost the gradient, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad import trace as t
from whygrad.graph.gradients import Loss
from whygrad.graph.operands import (
    constant_operands,
    nothing_selected,
    probes,
    zero_number,
    zero_operands,
    zero_parameters,
)

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_ROUND = (
    "Round", "Floor", "Ceil", "Trunc", "Sign", "Frac", "Heaviside", "Fix", "FloorDivide", "Remainder", "Bernoulli",
)  # fmt: skip
_GATES = (
    "Relu", "Threshold", "Hardtanh", "Clamp", "Sigmoid", "Tanh", "Hardsigmoid", "Hardswish", "Elu", "Softplus", "Silu",
    "Gelu", "Minimum", "Maximum", "Selu", "Celu", "Mish", "Hardshrink", "Softshrink", "LeakyRelu", "Exp", "Erf",
    "Softmax", "LogSigmoid", "Atan",
)  # fmt: skip
_PRODUCTS = (
    "Mul", "Mm", "Addmm", "Bmm", "Baddbmm", "Div", "Convolution", "Matmul", "Linear", "Dot", "Mv", "Einsum",
)  # fmt: skip
#: Explanations that leave no doubt come before those that look around.
_SURE = ("custom", "none", "one-element-softmax", "rounded")
_LIKELY = ("gate", "zero-factor", "hook")


class Vanished:
    """The parameters whose gradient the same operations lost in the same way. ``how`` is one of ``nonfinite``,
    ``none``, ``custom``, ``hook``, ``one-element-softmax``, ``rounded``, ``zero-weights``, ``gate``, ``zero-factor``,
    ``other``."""

    def __init__(self, how: str, params: list[int], losses: list[Loss]) -> None:
        self.how, self.params, self.losses = how, params, losses


def vanished(graph: Graph, *ways: str) -> Iterator[Vanished]:
    """Groups of parameters with a zero or non-finite gradient that was lost in one of ``ways``."""
    for group in graph.vanished:
        if group.how in ways:
            yield group


def lost_groups(graph: Graph) -> list[Vanished]:
    """All such groups; ``Graph.vanished`` keeps them."""
    groups: dict[object, Vanished] = {}
    for index in [*graph.sick(6), *(i for i in graph.sick(5) if graph.gradients.reached.get(i))]:
        how, key, losses = _classify(graph, index, graph.lost(index))
        groups.setdefault((how, key), Vanished(how, [], losses)).params.append(index)
    return _without_consequences(graph, list(groups.values()))


def _without_consequences(graph: Graph, groups: list[Vanished]) -> list[Vanished]:
    """Once a step has written NaN into one parameter, the others follow: they belong to the first loss."""
    bad = [g for g in groups if g.how == "nonfinite"]
    first = min(bad, key=lambda g: g.losses[0].backward, default=None)
    for group in bad:
        late = graph.trace.backwards[group.losses[0].backward].tick > graph.updates.spoilt
        if first is not None and group is not first and late:
            first.params += group.params
            groups.remove(group)
    return groups


def _classify(graph: Graph, index: int, losses: list[Loss]) -> tuple[str, object, list[Loss]]:
    """How a parameter's gradient was lost, what to group it by, and the losses that say so."""
    if not losses:
        unseen = graph.broken[index] != 6
        return ("unseen", None, []) if unseen else ("other", graph.trace.params[index].root, [])
    ways = [_way(graph, loss) for loss in losses]

    def of(way: str) -> tuple[str, object, list[Loss]]:
        own = [loss for loss, other in zip(losses, ways, strict=True) if other == way]
        return way, _stack(graph, own[0]), own

    if "nonfinite" in ways:
        return of("nonfinite")
    if graph.broken[index] == 5:
        return of("none") if "none" in ways else ("unseen", None, [])
    if ways[0] in _SURE and len(set(ways)) == 1:
        return of(ways[0])
    zero = zero_parameters(graph, losses)
    if zero and all(graph.unheld(z) for z in zero):
        return "unseen", None, []  # they would leave zero if an optimizer had them: that is told of them
    if zero:
        return "zero-weights", graph.trace.params[zero[0]].root, losses
    for way in (*_SURE[2:], *_LIKELY, *_SURE[:2]):
        if way in ways:
            return of(way)
    return "other", tuple(sorted({_stack(graph, loss) for loss in losses})), losses


def _stack(graph: Graph, loss: Loss) -> int:
    return graph.flow.kind(loss.op).stack if loss.op >= 0 else -1


def _way(graph: Graph, loss: Loss) -> str:
    if loss.how in ("nonfinite", "none", "hook"):
        return loss.how
    name = loss.name.rpartition("::")[2].removesuffix("0").removesuffix("Backward")
    if one_element(graph, loss):
        return "one-element-softmax"
    if loss.op >= 0 and graph.flow.kind(loss.op).name.endswith(".apply"):
        return "hook" if hooks_at(graph, loss) else "custom"
    if name.startswith(_ROUND):
        return "rounded"
    product = name.startswith(_PRODUCTS) and (zero_operands(graph, loss.op) or zero_number(graph, loss.op))
    if product or nothing_selected(graph, loss) is not None:
        return "zero-factor"
    flat = _flat(graph, name, loss.op)
    if hooks_at(graph, loss) and not flat:
        return "hook"
    return "gate" if name.startswith(_GATES) and flat is not False else "other"


def _flat(graph: Graph, name: str, op: int) -> bool | None:
    """Whether an activation was seen to be flat for all that it was given (None: not known)."""
    highs = [o.high for p in probes(graph, op) for o in p.operands if o.place == "in"]
    if not name.startswith("Relu") or not highs:
        return None
    if any(high <= 0 for high in highs) and graph.flow.shared(graph.trace.ops[op].kind):
        return None
    return all(high <= 0 for high in highs)


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


__all__ = [
    "Vanished",
    "constant_operands",
    "held_back",
    "hooks_at",
    "lost_groups",
    "nothing_selected",
    "one_element",
    "probes",
    "vanished",
    "zero_number",
    "zero_operands",
    "zero_parameters",
]
