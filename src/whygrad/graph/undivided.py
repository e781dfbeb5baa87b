"""Gradient accumulation whose sum nobody turned into a mean."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t
from whygrad.graph.deposits import HAND, Use
from whygrad.graph.reduction import Term, adaptive, terms

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_STEPS = 2  #: steps over the same number of passes: an accumulation by count, not by the end of an episode
_NEAR = 2.0  #: a loss whose factor times k is at most this counts as divided
_COUNTED = re.compile(r"\b(range|islice|chunk|split|tensor_split)\b")


class Undivided(NamedTuple):
    """``passes`` mean losses went into each step; ``harm``: why that matters here (empty: it does not)."""

    params: list[int]
    passes: int
    backward: int
    op: int
    norm: float
    single: float
    harm: str


def undivided(graph: Graph) -> Iterator[Undivided]:
    """For each optimizer that steps on a sum of several passes of one place."""
    for optimizer, used in graph.deposits.by_optimizer():
        if optimizer == HAND:
            continue
        param = max(used, key=lambda p: (sum(len(u.passes) > 1 for u in used[p]), graph.numel([p])))
        uses = used[param]
        count, times = Counter(len(u.passes) for u in uses).most_common(1)[0]
        if count < 2 or times < _STEPS or graph.deposits.again(param, uses):
            continue
        use = next(u for u in reversed(uses) if len(u.passes) == count)
        term = _accumulated(graph, use)
        if term is None or _divided_later(graph, param, use) or _made_with_division(graph, optimizer):
            continue
        params = sorted(p for p, other in used.items() if any(u.tick == use.tick for u in other))
        norm = _norm(u.norm for p in params for u in used[p] if u.tick == use.tick)
        single = sum(_norm(graph.deposits.own(p, b) for p in params) for b in use.passes) / count
        single /= _scale(graph, use)
        stack = graph.trace.backwards[use.passes[-1]].stack
        harm = _harm(graph, graph.trace.optimizers[optimizer], params, use, norm, single)
        yield Undivided(params, count, stack, term.op, norm, single, harm)


def _accumulated(graph: Graph, use: Use) -> Term | None:
    """The mean that each of the passes of a use goes back to; None if they are no accumulation over batches."""
    passes = [graph.trace.backwards[b] for b in use.passes]
    if len({b.stack for b in passes}) > 1 or any(b.in_step for b in passes) or not _by_count(graph, use):
        return None
    found = [terms(graph, b.losses[0]) for b in passes if b.losses]
    kinds = {tuple(graph.trace.ops[x.op].kind for x in one) for one in found}
    if len(kinds) != 1 or len(found) != len(passes) or _chained(graph, use):
        return None
    k = len(passes)
    means = [x for x in found[-1] if x.mean and x.size > 1]
    if not means or any(math.isnan(x.factor) for x in found[-1]):
        return None
    most = max(means, key=lambda x: abs(x.factor))  # the others are terms that count less
    return most if abs(most.factor) * k > _NEAR else None


def _by_count(graph: Graph, use: Use) -> bool:
    """Whether the step is taken in the very loop of the passes (now and then), or the loop around the passes alone goes
    over a count or over parts of a batch."""
    deposits = graph.deposits
    passes = graph.trace.backwards[use.passes[-1]].stack
    around = deposits.loops(use.stack)
    own = [loop for loop in deposits.loops(passes) if loop not in around]
    if not own:
        return bool(around)
    return len(own) == 1 and bool(_COUNTED.search(own[0].text))


def _chained(graph: Graph, use: Use) -> bool:
    """Whether a pass was computed from values of the one before (the time steps of a recurrence)."""
    made = [{v for v in graph.flow.loss_histories[b] if _computed(graph, v)} for b in use.passes[:3]]
    return any(not a.isdisjoint(b) for a, b in pairwise(made))


def _computed(graph: Graph, value: int) -> bool:
    own = graph.trace.values[value]
    return own.op >= 0 and own.param < 0


def _divided_later(graph: Graph, param: int, use: Use) -> bool:
    """Whether something changed the gradient between its first pass and the step: a division, a mean over processes."""
    begun = graph.trace.backwards[use.passes[0]].tick
    return any(
        begun < e.tick < use.tick and e.data.get("op") not in ("detach_", "None", "zero_")
        for e in graph.updates.touching("grad-set", param)
    )


def _made_with_division(graph: Graph, optimizer: int) -> bool:
    """Whether the line that makes the optimizer divides: the learning rate by the number of batches, most likely."""
    stack = graph.trace.optimizers[optimizer].created
    lines = [graph.trace.frames[n].code for n in graph.trace.stacks[stack][:1]] if stack >= 0 else []
    return any("/" in re.sub(r"([\"']).*?\1", "", line) for line in lines)


def _harm(
    graph: Graph, optimizer: t.Optimizer, params: list[int], use: Use, norm: float, single: float
) -> str:
    k = len(use.passes)
    begun = graph.trace.backwards[use.passes[-1]].tick
    clips = [
        e
        for e in graph.updates.events.get("clip", ())
        if begun < e.tick < use.tick and set(e.params) & set(params)
    ]
    for clip in clips:
        limit, total = clip.data.get("limit"), clip.data.get("total_norm")
        if isinstance(limit, float) and isinstance(total, float):
            if total > limit >= total / k:
                return f"clipping to {limit:g} meets the sum, of norm {total:.3g}"
            if total / k > limit:
                return ""  # the step has the norm of the limit either way
    decay = max((g.options.get("weight_decay", 0.0) for g in optimizer.groups), default=0.0)
    decoupled = "adamw" in optimizer.kind.lower() or any(
        g.options.get("decoupled_weight_decay") for g in optimizer.groups
    )
    if not adaptive(optimizer):
        return f"the gradient at the step is {norm / single:.1f} times that of one batch" if single else ""
    if decay and not decoupled:
        return f"the weight decay counts {k} times less beside it"
    return ""


def _scale(graph: Graph, use: Use) -> float:
    """What a GradScaler multiplied the losses by."""
    scales = [e.data.get("scale") for e in graph.updates.events.get("scale", ()) if e.tick < use.tick]
    return float(scales[-1]) if scales and isinstance(scales[-1], float) and scales[-1] > 0 else 1.0


def _norm(norms: Iterator[float]) -> float:
    return math.sqrt(sum(n * n for n in norms))
