"""Whether what a module computed without autograd is part of the target of its own training."""

from __future__ import annotations

from collections.abc import Iterable

from whygrad.graph.chain import Graph


def in_loss(graph: Graph, stack: int, params: Iterable[int]) -> bool:
    """Whether a result of operations at ``stack`` reaches, as floating-point numbers, a loss that gave some of
    ``params`` a gradient. (What was decided by them, an index or a choice, is no target.)"""
    trace, own = graph.trace, set(params)
    losses = {loss for b in trace.backwards if own & {g.param for g in b.grads} for loss in b.losses}
    waiting = [v for op in trace.ops if trace.kinds[op.kind].stack == stack for v in op.outs]
    seen: set[int] = set()
    while waiting:
        vid = waiting.pop()
        if vid in losses:
            return True
        if vid in seen or "float" not in trace.values[vid].dtype:
            continue
        seen.add(vid)
        waiting += [o for index in graph.flow.consumers.get(vid, ()) for o in trace.ops[index].outs]
    return False
