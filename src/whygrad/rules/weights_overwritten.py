"""What a step changed is overwritten again: the weights keep going back to an earlier value."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad import trace as t
from whygrad.finding import Finding
from whygrad.graph import Graph, group


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters that went back, bit for bit, to a value they had before, at least twice, and what wrote them."""
    back = [i for i in graph.sick(9) if len(graph.updates.resets(i)) >= 2]
    for stack, indices in group((e.stack if (e := _writer(graph, i)) else -1, i) for i in back):
        resets = graph.updates.resets(indices[0])
        yield Finding(
            rule="weights-overwritten",
            severity="error",
            title=f"{graph.count(indices)} went back to an earlier value, bit for bit, {len(resets)} times "
            f"in {len(graph.updates.rows[indices[0]])} steps",
            parameters=graph.names(indices),
            link=9,
            causes=graph.sites(int(str(stack)), "overwritten", 2),
            evidence={"resets": len(resets), "steps": len(graph.updates.rows[indices[0]])},
            fix="Load or reset the weights once, before the loop.",
        )


def _writer(graph: Graph, index: int) -> t.Event | None:
    """The write to the parameter between the last reset's step and the one before it."""
    rows = graph.updates.rows[index]
    at = graph.updates.resets(index)[-1]
    numbers = [n for n, _ in rows]
    before = graph.trace.steps[numbers[numbers.index(at) - 1]].tick
    writes = [
        e for e in graph.updates.touching("write", index) if before < e.tick < graph.trace.steps[at].tick
    ]
    return writes[-1] if writes else None
