"""How a loss was reduced: a mean over the batch, and what it was multiplied by afterwards."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_ADAPTIVE = ("adam", "rmsprop", "adagrad", "adadelta", "lamb", "lion", "adafactor", "rprop", "adan", "muon")
_SAME = {
    "clone",
    "neg",
    "to",
    "float",
    "double",
    "squeeze",
    "view",
    "reshape",
    "contiguous",
    "unsqueeze",
    "positive",
}
_LOSSES = {"cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div"}


class Term(NamedTuple):
    """A part of a loss: ``op`` reduced it, as a ``mean`` or otherwise; ``factor``: what it counts with in the loss (nan:
    not known); ``size``: the number of elements that it was reduced from, ``batch`` the first dimension."""

    op: int
    mean: bool
    factor: float
    size: int
    batch: int


def adaptive(optimizer: t.Optimizer) -> bool:
    """Whether an optimizer does not mind a common factor of all gradients."""
    return optimizer.kind.lower().lstrip("n").startswith(_ADAPTIVE) or optimizer.kind.lower().startswith(
        _ADAPTIVE
    )


def terms(graph: Graph, value: int, factor: float = 1.0) -> list[Term]:
    """The parts of a loss (a value), down to the operations that reduced them."""
    found: list[Term] = []
    waiting, seen = [(value, factor)], 0
    while waiting and seen < 200:
        vid, factor = waiting.pop()
        seen += 1
        op = graph.trace.values[vid].op
        if op < 0 or not graph.trace.values[vid].requires_grad:
            continue
        name = graph.flow.kind(op).name.strip("_").removeprefix("torch.")
        ins = [v for v in graph.trace.ops[op].ins if graph.trace.values[v].requires_grad]
        if name in ("add", "sub", "iadd") or (name in _SAME and ins):
            waiting += [(v, factor) for v in ins]
        elif name in ("mul", "div", "true_divide", "truediv", "imul", "itruediv") and _scalar(graph, ins):
            waiting += [(v, factor * _factor(graph, op, name)) for v in ins]
        elif (
            name in ("sum", "mean", "stack")
            and ins
            and all(_scalar(graph, [v]) for v in ins)
            and len(ins) > 1
        ):
            waiting += [(v, factor) for v in ins]
        else:
            found.append(_term(graph, op, name, ins, factor))
    return found


def _scalar(graph: Graph, values: list[int]) -> bool:
    return bool(values) and all(math.prod(graph.trace.values[v].shape) == 1 for v in values)


def _factor(graph: Graph, op: int, name: str) -> float:
    """The plain number that a loss was multiplied by; a GradScaler's counts as 1; nan for another tensor."""
    tick = graph.trace.ops[op].tick
    if len(graph.trace.ops[op].ins) > 1:
        scaled = any(tick < e.tick <= tick + 2 for e in graph.updates.events.get("scale", ()))
        return 1.0 if scaled else math.nan
    for text in graph.flow.kind(op).args.values():
        try:
            number = float(text)
        except ValueError:
            continue
        if "div" in name:
            return 1 / number if number else math.nan
        return number
    return math.nan


def _term(graph: Graph, op: int, name: str, ins: list[int], factor: float) -> Term:
    args = graph.flow.kind(op).args
    shapes = [graph.trace.values[v].shape for v in ins[:1] or graph.trace.ops[op].ins[:1]]
    shape = shapes[0] if shapes else ()
    size, batch = math.prod(shape), shape[0] if shape else 1
    mean = name == "mean"
    if name in _LOSSES or name.endswith("loss"):
        mean = args.get("reduction", "mean") in ("mean", "batchmean")
    elif name == "sum" and any(n > 1 and abs(factor * n - 1) < 1e-3 for n in (size, batch)):
        mean, factor = True, 1.0
    elif name == "sum" and size > 1:
        factor = math.nan
    return Term(op, mean, factor, size, batch)
