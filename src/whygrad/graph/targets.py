"""What losses are computed against: ignored targets, padding, constants, numbers of targets in a window of steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.plain import SUMS, plain_name

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

CLASSES = ("cross_entropy", "nll_loss")
_NUMBERS = {
    "neg",
    "mul",
    "multiply",
    "div",
    "divide",
    "truediv",
    "true_divide",
    "add",
    "sub",
    "to",
    "float",
    "double",
}
_ONWARD = {
    "view",
    "reshape",
    "flatten",
    "squeeze",
    "unsqueeze",
    "contiguous",
    "clone",
    "stack",
    "cat",
    "transpose",
}


def places(graph: Graph) -> Iterator[list[t.TargetLook]]:
    """The looks at targets that lie before a loss that was given to backward, place by place."""
    found: dict[tuple[str, int], list[t.TargetLook]] = {}
    used = {v for history in graph.flow.loss_histories for v in history}
    for look in graph.trace.learning.targets.looks:
        if not used.isdisjoint(graph.trace.ops[look.op].outs):
            found.setdefault((look.name, look.stack), []).append(look)
    yield from found.values()


def sites(graph: Graph, look: t.TargetLook, role: str) -> list[f.Site]:
    """Where a loss is computed: where its module was made (if it is one), and where it is called."""
    module = graph.trace.ops[look.op].module
    created = graph.trace.learning.modules[module].created if module >= 0 else -1
    return [*graph.sites(created, "made", 0), *graph.op_sites(look.op, role, 1)]


def all_counted(graph: Graph, op: int) -> bool:
    """Whether what an operation made is only summed up on its way to the loss, so that no mask comes after it."""
    trace = graph.trace
    queue = list(trace.ops[op].outs)
    if all(trace.values[v].shape == () for v in queue):
        return True
    for vid in queue:
        for later in graph.flow.consumers.get(vid, ()):
            name = plain_name(graph.flow.kind(later).name)
            others = [v for v in trace.ops[later].ins if v != vid and trace.values[v].shape]
            if name not in SUMS | _NUMBERS | _ONWARD or (name in _NUMBERS and others):
                return False
            queue += [v for v in trace.ops[later].outs if trace.values[v].shape and v not in queue]
    return True


def ignore_index(graph: Graph, op: int) -> int:
    """The class that a cross-entropy leaves out."""
    args = graph.flow.kind(op).args
    text = args.get("ignore_index", args.get("4", "-100"))
    return int(text) if text.lstrip("-").isdigit() else -100


def ignored_throughout(graph: Graph) -> list[list[t.TargetLook]]:
    """Places where at least half of the calls had no target that counts."""
    found = []
    for looks in places(graph):
        if looks[0].name in CLASSES:
            empty = [look for look in looks if not look.counted]
            if len(empty) > 1 and 2 * len(empty) >= len(looks):
                found.append(empty)
    return found


def head(graph: Graph, look: t.TargetLook) -> int:
    """The weight of the layer whose output was given to a loss as it is, or in another shape; -1 if there is none."""
    vid = graph.trace.ops[look.op].ins[0]
    while graph.trace.values[vid].op >= 0:
        op = graph.trace.values[vid].op
        ins = graph.trace.ops[op].ins
        weights = [graph.trace.values[v] for v in ins if graph.trace.values[v].param >= 0]
        if weights:
            return next((w.param for w in weights if len(w.shape) > 1), -1)
        if plain_name(graph.flow.kind(op).name) not in _ONWARD | {
            "permute",
            "log_softmax",
            "sigmoid",
            "to",
            "float",
        }:
            return -1
        vid = ins[0]
    return -1


def made(graph: Graph, look: t.TargetLook, role: str) -> list[f.Site]:
    """Where the targets of a loss were made, or came into torch."""
    value = graph.trace.values[look.target]
    stacks = dict.fromkeys([value.created, *reversed(value.imports)])
    return [s for stack in stacks for s in graph.sites(stack, role, 0)]
