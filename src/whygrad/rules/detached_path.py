"""The path from the parameter to the loss is cut by detach() or .data."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, blamed, distinct


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose value reaches the loss only through ``detach()`` or ``.data``."""
    for indices, which, ops in blamed(graph, "detach"):
        how = graph.label(ops[0])
        shown = ".data" if how == "data" else f"{how}()"
        yield Finding(
            rule="detached-path",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: the path to the loss is cut by {shown}",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([s for op in ops for s in graph.op_sites(op, "cut")]),
            path=graph.path(indices[0], ops[0], which),
            evidence={"grad_norm": None, "backward_passes": len(graph.flow.by_value.get(indices[0], []))},
            fix=f"Remove {shown} here, or give the loss a value that has not passed through it.",
        )
