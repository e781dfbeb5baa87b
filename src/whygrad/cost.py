"""What a fault costs: the share of weights, and of computing time, that served parameters which never change.

Time is that of operations which take a parameter as an argument; what works on their results is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from whygrad.finding import Cost
from whygrad.parameters import Verdict
from whygrad.trace import Trace


def cost(trace: Trace, rows: Sequence[int], verdicts: Sequence[Verdict]) -> Cost | None:
    """The :class:`Cost` over ``rows`` (indices into ``trace.params``); None if there are no parameters."""
    if not rows:
        return None
    dead = frozenset(index for index in rows if is_stopped(verdicts[index]))
    sizes = {index: math.prod(trace.params[index].shape) for index in rows}
    total = sum(sizes.values())
    wasted, spent = _seconds(trace, frozenset(rows), dead)
    return Cost(
        parameters=sum(sizes[index] for index in dead) / total if total else 0.0,
        time=wasted / spent if spent > 0 else 0.0,
    )


def is_stopped(verdict: Verdict) -> bool:
    """Whether this parameter should train and does not (frozen ones are meant not to)."""
    link, word = verdict
    return link is not None and word != "frozen"


def _seconds(trace: Trace, rows: frozenset[int], dead: frozenset[int]) -> tuple[float, float]:
    """Seconds in operations that consume only dead parameters, and in all that consume parameters."""
    consumes = [
        {trace.values[value].param for value in op.ins if value >= 0} & rows if op.ins else frozenset[int]()
        for op in trace.ops
    ]
    seconds = [op.seconds for op in trace.ops]
    for backward in trace.backwards:
        # Only the whole of a backward pass was timed. Its nodes get shares of it like those of their
        # operations in the forward pass; operations that it never came to, having been cut off, get none.
        ran = {node.op for node in backward.nodes if node.ran and 0 <= node.op < len(trace.ops)}
        forward = sum(trace.ops[index].seconds for index in ran)
        if forward > 0:
            for index in ran:
                seconds[index] += backward.seconds * trace.ops[index].seconds / forward
    wasted = sum(time for time, params in zip(seconds, consumes, strict=True) if params and params <= dead)
    spent = sum(time for time, params in zip(seconds, consumes, strict=True) if params)
    return wasted, spent
