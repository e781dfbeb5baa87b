"""Clipping leaves nothing of the gradient."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, group

_NOTHING = 1e-6  #: a limit this far below the gradient's norm leaves no training to speak of


def check(graph: Graph) -> Iterator[Finding]:
    """clip_grad_norm_ or clip_grad_value_ with a limit of (almost) zero, compared with the norm it met."""
    clips = graph.updates.events.get("clip", [])
    tiny = [
        e
        for e in clips
        if _limit(e.data.get("limit")) <= _NOTHING * max(1e-30, _limit(e.data.get("total_norm")))
    ]
    tiny += [e for e in clips if e.data.get("limit") == 0.0 and e not in tiny]
    for stack, numbers in group((e.stack, n) for n, e in enumerate(tiny)):
        indices = sorted({p for n in numbers for p in tiny[n].params if graph.gradients.good(p)})
        if not indices or 2 * len(numbers) < len([e for e in clips if e.stack == stack]):
            continue
        event = tiny[numbers[-1]]
        yield Finding(
            rule="clipped-to-nothing",
            severity="error",
            title=f"{graph.count(indices)}: clipping to {event.data.get('limit')} leaves nothing of the gradient",
            parameters=graph.names(indices),
            link=7,
            causes=graph.sites(int(str(stack)), "clipped", 1),
            evidence={"limit": event.data.get("limit"), "total_norm": event.data.get("total_norm")},
            fix="Clip to a norm of about 1, or to what your gradients usually have; 0 switches training off.",
        )


def _limit(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 1.0
