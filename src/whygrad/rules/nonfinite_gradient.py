"""The gradient becomes NaN or infinite on its way back."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, vanished
from whygrad.graph.vanishing import probes


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters whose gradient is not finite, with the operation whose derivative made it so."""
    for group in vanished(graph, "nonfinite"):
        loss = group.losses[0]
        skipped = sum(1 for s in graph.trace.steps if s.skipped)
        bad = [o for look in probes(graph, loss.op) for o in look.operands if o.place == "in" and o.nonfinite]
        what = f"the derivative of {graph.label(loss.op)}" if loss.op >= 0 else loss.name
        yield Finding(
            rule="nonfinite-gradient",
            severity="error",
            title=f"{graph.count(group.params)} get NaN or infinite gradients, from {what}"
            + (f"; GradScaler skipped {skipped} steps for it" if skipped else ""),
            parameters=graph.names(group.params),
            link=6,
            causes=distinct(
                [s for one in group.losses if one.op >= 0 for s in graph.op_sites(one.op, "first not finite")]
            ),
            path=graph.path(group.params[0], loss.op) if loss.op >= 0 else (),
            evidence={
                "arrives": graph.gradients.arriving(loss),
                "grad_norm": None,
                "skipped_steps": skipped,
                "nonfinite_inputs": max((o.nonfinite for o in bad), default=0),
            },
            fix="Select the valid elements before this operation, not after it: a mask applied later still multiplies "
            "0 by NaN in the backward pass."
            if bad
            else "Keep the argument away from the point where the derivative is infinite: add a small epsilon under "
            "sqrt, log or division, or clamp first.",
        )
