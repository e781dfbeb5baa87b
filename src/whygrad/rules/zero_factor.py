"""The value is multiplied by zeros."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, distinct, vanished
from whygrad.graph.vanishing import zero_operands


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose gradient is multiplied by a factor that was zero throughout at every look."""
    for group in vanished(graph, "zero-factor"):
        loss = group.losses[0]
        factors = [graph.trace.values[v] for v in zero_operands(graph, loss.op) if v >= 0]
        own = [f for f in factors if f.param < 0 and not f.requires_grad]
        if not own and all(f.param < 0 for f in factors):
            continue  # zeros computed by the model itself: the layer before is to blame, not this product
        origin: list[Site] = []
        for factor in own:
            for stack in (factor.created, *reversed(factor.imports)):
                origin += graph.sites(stack, "factor made", 1)
        yield Finding(
            rule="zero-factor",
            severity="error",
            title=f"{graph.count(group.params)} get a gradient of exactly zero: {graph.label(loss.op)} multiplies it by zeros",
            parameters=graph.names(group.params),
            link=6,
            causes=distinct([*graph.op_sites(loss.op, "zeroed"), *origin]),
            path=graph.path(group.params[0], loss.op),
            evidence={
                "grad_norm": 0.0,
                "arrives": graph.gradients.arriving(loss),
                "zero_factors": len(factors),
            },
            fix="Look at where this factor is computed: a mask that selects nothing, a weight of 0, rewards or "
            "advantages that are all equal.",
        )
