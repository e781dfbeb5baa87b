"""An assignment meant to make parameters trainable set an attribute that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph


def check(graph: Graph) -> Iterator[Finding]:
    """``module.requires_grad = True`` and misspelt attributes on parameters that are frozen to the end."""
    params = graph.trace.params
    for event in graph.updates.events.get("module-requires-grad", ()):
        frozen = [i for i in event.params if graph.broken[i] == 0 and not _switched(graph, i, event.tick)]
        if event.data.get("value") and frozen:
            yield Finding(
                rule="requires-grad-without-effect",
                severity="error",
                title=f"{graph.count(frozen)} stay frozen: a module has no requires_grad, the assignment does nothing",
                parameters=graph.names(frozen),
                link=2,
                causes=graph.sites(event.stack, "no effect", 1),
                evidence={"requires_grad": False, "grad_norm": None, "weight_change": 0.0},
                fix="Call the method on the module: module.requires_grad_(True). It sets requires_grad of every parameter in it.",
            )
    for event in graph.updates.events.get("odd-attribute", ()):
        frozen = [i for i in event.params if not params[i].requires_grad]
        if frozen:
            name = event.data.get("name")
            yield Finding(
                rule="requires-grad-without-effect",
                severity="error",
                title=f"{graph.count(frozen)} stay frozen: the attribute {name} is a misspelling of requires_grad",
                parameters=graph.names(frozen),
                link=2,
                causes=graph.sites(event.stack, "no effect", 0),
                evidence={"requires_grad": False, "grad_norm": None, "weight_change": 0.0},
                fix="Write requires_grad (or call requires_grad_(True), which can't be misspelt in silence).",
            )


def _switched(graph: Graph, index: int, tick: int) -> bool:
    return any(flip.value and flip.tick > tick for flip in graph.trace.params[index].flips)
