"""Gradients that the pass of one loss left behind, and the optimizer of another loss used."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from whygrad.graph.deposits import HAND, Use

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_TOGETHER = -0.3  #: two losses before all steps: below this mean cosine they work against each other
_AGAINST = -0.3  #: with steps in between, where other optimizers step together with the one in question
_SHARE = 0.01  #: what was left behind, beside the own gradient
_MANY = 3  #: passes left behind that make even a single step worth telling


class Leak(NamedTuple):
    """``times`` of the ``steps`` of an optimizer used what another pass had left in ``params``; ``passes``: its own and
    the other one at the last of them; ``places``: where they had been cleared (-1: never), and of the step."""

    name: str
    params: list[int]
    times: int
    steps: int
    passes: tuple[int, int]
    places: tuple[int, int]
    before: float
    own: float
    cosine: float


def leaks(graph: Graph) -> Iterator[Leak]:
    """For each optimizer what other passes had left behind in the gradients that it used."""
    takers = graph.deposits.takers
    if any(b.in_step for b in graph.trace.backwards):
        return
    for optimizer, used in graph.deposits.by_optimizer():
        if optimizer == HAND:
            continue
        mixed: dict[int, list[tuple[Use, int]]] = {}
        for param, uses in used.items():
            spent: set[int] = set()
            for use in uses:
                foreign = [
                    b for b in use.passes[:-1] if b not in spent and _foreign(graph, optimizer, param, b, use)
                ]
                if foreign and optimizer in takers[use.passes[-1]]:
                    mixed.setdefault(param, []).append((use, foreign[-1]))
                spent.update(use.passes)
        leak = _leak(graph, optimizer, used, mixed) if mixed else None
        if leak is not None:
            yield leak


def _foreign(graph: Graph, optimizer: int, param: int, backward: int, use: Use) -> bool:
    """Whether a pass was meant for other optimizers: only they stepped before the next one; or where all steps came
    after all passes, whether it went through the parameters of others and the last pass did not."""
    takers = graph.deposits.takers
    holders = {o for o, _ in graph.updates.holders.get(param, ())}
    if takers[backward]:
        return optimizer not in takers[backward] and not takers[backward] & holders
    trace = graph.trace
    own = {p for g in trace.optimizers[optimizer].groups for p in g.params}
    there, here = set(trace.backwards[backward].reached), set(trace.backwards[use.passes[-1]].reached)
    held = graph.updates.holders.keys()
    return (
        len(use.passes) == 2
        and trace.backwards[backward].stack != trace.backwards[use.passes[-1]].stack
        and (here & held <= own) != (there & held <= own)
    )


def _leak(
    graph: Graph, optimizer: int, used: dict[int, list[Use]], mixed: dict[int, list[tuple[Use, int]]]
) -> Leak | None:
    param = max(mixed, key=lambda p: (len(mixed[p]), graph.numel([p])))
    use, foreign = mixed[param][-1]
    steps, times = len(used[param]), len(mixed[param])
    own = _total(graph.deposits.own(p, use.passes[-1]) for p in mixed)
    before = _total(graph.deposits.before(p, use.passes[-1]) for p in mixed)
    cosine = _cosine(graph, mixed)
    between = bool(graph.deposits.takers[foreign])
    alone = graph.deposits.takers[use.passes[-1]] == {optimizer}
    if between:
        enough = alone or cosine < _AGAINST
    else:
        enough = cosine < _TOGETHER
    often = times >= max(2, (steps - 1) // 2)
    # the first step after a while in which only others stepped, on passes of the same kind
    late = times == 1 < steps and len(use.passes) > _MANY and between and _among(graph, foreign, use)
    if not ((enough and often) or late) or not own or before < _SHARE * own:
        return None
    zeroed = graph.trace.events[use.cleared].stack if use.cleared >= 0 else _zeroed(graph, optimizer, use)
    known = graph.trace.optimizers[optimizer]
    name = known.name or known.kind
    passes = (use.passes[-1], foreign)
    return Leak(name, sorted(mixed), times, steps, passes, (zeroed, use.stack), before, own, cosine)


def _among(graph: Graph, foreign: int, use: Use) -> bool:
    takers = graph.deposits.takers
    return takers[foreign] <= takers[use.passes[-1]]


def _zeroed(graph: Graph, optimizer: int, use: Use) -> int:
    zeroed = graph.updates.events.get("zero-grad", ())
    events = [e for e in zeroed if e.optimizer == optimizer and e.tick < use.tick]
    return events[-1].stack if events else -1


def _total(norms: Iterator[float]) -> float:
    return math.sqrt(sum(n * n for n in norms))


def _cosine(graph: Graph, mixed: dict[int, list[tuple[Use, int]]]) -> float:
    """The mean over all uses, weighted by the sizes of both gradients; 0 where it can't be told."""
    dot = size = 0.0
    for param, uses in mixed.items():
        for use, _ in uses:
            cosine = graph.deposits.cosine(param, use)
            weight = graph.deposits.own(param, use.passes[-1]) * graph.deposits.before(param, use.passes[-1])
            if not math.isnan(cosine):
                dot, size = dot + cosine * weight, size + weight
    return dot / size if size else 0.0
