"""Means over a part of the elements: what they are divided by, and how many count in each pass of a window of steps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.graph.finite import First, spoilt_by
from whygrad.graph.plain import LOSSES, SUMS, plain_name

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

QUOTIENTS = {"div", "divide", "truediv", "true_divide"}
_PRODUCTS = {"mul", "multiply"}
_SAME = {"to", "float", "double", "clone", "squeeze", "view", "reshape", "neg"}


class Empty:
    """A division by nothing, in the backward pass that it spoilt; ``others``: what that place divided by elsewhere."""

    __slots__ = ("backward", "lost", "mask", "op", "others")

    def __init__(self, backward: int, op: int, mask: int, lost: list[int], others: list[float]) -> None:
        self.backward, self.op, self.mask, self.lost, self.others = backward, op, mask, lost, others


def divided_by_nothing(graph: Graph) -> Empty | None:
    """The first division by the sum of an empty mask that made a loss not finite."""
    divisors = {d.op: d.number for d in graph.trace.learning.targets.divisors}
    for backward, history in enumerate(graph.flow.loss_histories):
        loss = graph.trace.backwards[backward].loss
        if loss is None or math.isfinite(loss):
            continue
        ops = sorted({graph.trace.values[v].op for v in history if graph.trace.values[v].param < 0} - {-1})
        for op in ops:
            if _divisor(graph, op, divisors) == 0 and _sums(graph, op):
                place = graph.flow.kind(op).stack
                others = [n for o, n in divisors.items() if n and graph.flow.kind(o).stack == place]
                lost = spoilt_by(graph, First(backward, [op], [], []))
                return Empty(backward, op, _mask(graph, op), lost, others)
        return None  # the first loss that was not finite has another reason
    return None


def _divisor(graph: Graph, op: int, known: dict[int, float]) -> float | None:
    """The one number that an operation divides by, if it does and it is known."""
    kind = graph.flow.kind(op)
    if plain_name(kind.name) not in QUOTIENTS:
        return None
    return known.get(op, _number(kind.args.get("1", kind.args.get("other", ""))))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _sums(graph: Graph, op: int) -> bool:
    """Whether what an operation divides is a sum."""
    made = graph.trace.values[graph.trace.ops[op].ins[0]].op
    return made >= 0 and (plain_name(graph.flow.kind(made).name) in SUMS | LOSSES | {"neg", "to", "float"})


def _mask(graph: Graph, op: int) -> int:
    """The value without history that was multiplied in before the sum that ``op`` divides, else what it divides by; -1."""
    values = graph.trace.values
    queue = list(graph.trace.ops[op].ins[:1])
    for vid in queue:
        made = values[vid].op
        if made < 0 or values[vid].param >= 0 or len(queue) > 20:
            continue
        name, ins = plain_name(graph.flow.kind(made).name), graph.trace.ops[made].ins
        own = [v for v in ins if values[v].param < 0 and not values[v].requires_grad and values[v].shape]
        if name in _PRODUCTS and own:
            return own[-1]
        if name in SUMS | _SAME:
            queue += ins
    own = [v for v in graph.trace.ops[op].ins[1:] if values[v].param < 0]
    return own[0] if own else -1


class Share:
    """One backward pass of a window: the reduction, the number of elements that its mean is over, the weight that each
    of them has in the accumulated gradient, and the last operation that scaled it (-1: none did)."""

    __slots__ = ("backward", "count", "reduction", "scaled", "weight")

    def __init__(self, backward: int, reduction: int, count: float, weight: float, scaled: int) -> None:
        self.backward, self.reduction, self.count, self.weight, self.scaled = (
            backward, reduction, count, weight, scaled,
        )  # fmt: skip


def windows(graph: Graph) -> Iterator[list[Share]]:
    """The passes between two steps of an optimizer, of one place each, where more than one is known."""
    counts = {look.op: look.counted for look in graph.trace.learning.targets.looks}
    divisors = {d.op: d.number for d in graph.trace.learning.targets.divisors}
    ticks = [step.tick for step in graph.trace.steps]
    found: dict[tuple[int, int, int], list[Share]] = {}
    for index, backward in enumerate(graph.trace.backwards):
        if backward.kind != "backward" or backward.raised or len(backward.losses) != 1:
            continue
        step = next((i for i, tick in enumerate(ticks) if tick > backward.tick), -1)
        share = _share(graph, index, backward.losses[0], counts, divisors) if step >= 0 else None
        if share is not None:
            kind = graph.flow.kind(share.reduction)
            found.setdefault((step, backward.stack, kind.stack), []).append(share)
    yield from (shares for shares in found.values() if len(shares) > 1)


def _share(
    graph: Graph, backward: int, vid: int, counts: dict[int, float], divisors: dict[int, float]
) -> Share | None:
    """What one element weighs in a loss that is a mean (or a sum) times known numbers; None for any other."""
    trace, factor, scaled, divided = graph.trace, 1.0, -1, 0.0
    while trace.values[vid].op >= 0 and trace.values[vid].param < 0:
        op = trace.values[vid].op
        kind, ins = graph.flow.kind(op), trace.ops[op].ins
        name = plain_name(kind.name)
        if name in SUMS | LOSSES:
            return _reduced(graph, backward, op, factor, scaled, divided, counts)
        by = _divisor(graph, op, divisors)
        times = _number(kind.args.get("1", "")) if name in _PRODUCTS and len(ins) == 1 else None
        if by:
            factor, scaled = factor / by, op if scaled < 0 else scaled
            divided = by if len(ins) > 1 else divided
        elif times:
            factor, scaled = factor * times, op if scaled < 0 else scaled
        elif name not in _SAME or len(ins) != 1:
            return None
        vid = ins[0]
    return None


def _reduced(
    graph: Graph, backward: int, op: int, factor: float, scaled: int, divided: float, counts: dict[int, float]
) -> Share | None:
    kind, ins = graph.flow.kind(op), graph.trace.ops[op].ins
    name = plain_name(kind.name)
    if name in LOSSES:
        mean = kind.args.get("reduction", "mean") == "mean"
        shape = graph.trace.values[ins[0]].shape
        n = float(math.prod(shape))
        if name in ("cross_entropy", "nll_loss"):
            n = counts.get(op, n / shape[1] if len(shape) > 1 else 1.0)
    else:
        mean = name in ("mean", "nanmean")
        n = float(math.prod(graph.trace.values[ins[0]].shape))
    count = n if mean else divided
    if not count or any(graph.trace.values[v].shape for v in graph.trace.ops[op].outs):
        return None
    return Share(backward, op, count, abs(factor) / n if mean else abs(factor), scaled)
