"""The value became a Python number or a NumPy array on its way to the loss, and autograd can't follow it there."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, group

_SHOWN = 4


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose values were turned into numbers, while the loss was built from numbers."""
    sick = [i for i in graph.sick(4) if i in graph.updates.holders]
    rebuilt = _rebuilt(graph)
    if not rebuilt:
        return
    escapes = graph.updates.events.get("escape", [])
    by_place = [(_left(graph, i, escapes), i) for i in sick]
    for key, indices in group((tuple(e for e, _ in left), i) for left, i in by_place if left):
        events = [graph.trace.events[n] for n in key]  # type: ignore[attr-defined]
        how = ", ".join(sorted({f"{e.data.get('how')}".strip("_") + "()" for e in events}))
        places = [s for e in events[:_SHOWN] for s in graph.sites(e.stack, "left", 1)]
        yield Finding(
            rule="value-leaves-pytorch",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: their values leave PyTorch through {how}",
            parameters=graph.names(indices),
            link=4,
            causes=distinct([*places, *rebuilt]),
            evidence={"grad_norm": None, "escapes": len(events)},
            fix="Keep the tensor: leave out the conversion and compute the loss with tensor operations "
            "(torch.stack for a list of scalars); convert to numbers only for printing.",
        )


def _left(graph: Graph, index: int, escapes: list[t.Event]) -> list[tuple[int, int]]:
    """Distinct places where values computed from the parameter were turned into numbers: (event number, stack)."""
    below = graph.flow.downstream(index)
    places: dict[int, int] = {}
    for event in escapes:
        if any(v in below for v in event.values):
            places.setdefault(event.stack, graph.trace.events.index(event))
    return [(number, stack) for stack, number in places.items()]


def _rebuilt(graph: Graph) -> list[Site]:
    """Where the losses that carry no parameter were made from numbers."""
    stacks: dict[int, None] = {}
    for index, backward in enumerate(graph.trace.backwards):
        history = graph.flow.loss_histories[index]
        for vid in history:
            value = graph.trace.values[vid]
            for stack in value.imports or (
                (value.created,) if value.op < 0 and vid in backward.losses else ()
            ):
                stacks.setdefault(stack)
    return [s for stack in list(stacks)[:3] if stack >= 0 for s in graph.sites(stack, "rebuilt", 0)]
