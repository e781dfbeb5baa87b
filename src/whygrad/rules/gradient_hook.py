"""A hook returns zeros in place of the gradient."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, vanished


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters where a gradient arrived and a registered hook left nothing of it."""
    hooks = graph.updates.events.get("hook", [])
    for group in vanished(graph, "hook"):
        mine = [h for h in hooks if set(h.params) & set(group.params)]
        if not mine:
            continue  # the parts cancel exactly (the last bias of a difference): nobody's fault
        yield Finding(
            rule="gradient-hook",
            severity="error",
            title=f"{graph.count(group.params)} end with a gradient of zero: a gradient arrived, a hook replaced it",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct([s for h in mine for s in graph.sites(h.stack, "hook", 1)]),
            evidence={"grad_norm": 0.0},
            fix="Let the hook return the gradient (or None to leave it as it is) for the elements that are to be trained.",
        )
