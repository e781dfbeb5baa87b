"""The path from the parameter to the loss runs where autograd is switched off."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding, Site
from whygrad.graph import Graph, blamed, distinct, grad_off


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters used for the loss only under no_grad, inference_mode or set_grad_enabled(False)."""
    for indices, which, ops in blamed(graph, "no-grad"):
        events = [e for op in ops if (e := grad_off(graph, op)) is not None]
        hows = list(dict.fromkeys(str(e.data.get("how")) for e in events))
        off: list[Site] = [s for e in events[:3] for s in graph.sites(e.stack, "autograd off", 1)]
        ran = [s for op in ops[:3] for s in graph.op_sites(op, "cut", 3)]
        how = hows[0] if hows else "autograd being off"
        yield Finding(
            rule="no-grad-path",
            severity="error",
            title=f"{graph.count(indices)} get no gradient: the forward pass runs under {how}",
            parameters=graph.names(indices),
            link=5,
            causes=distinct([*off, *ran]),
            path=graph.path(indices[0], ops[0], which) if which >= 0 else (),
            evidence={"grad_norm": None, "autograd_off_by": how},
            fix=_fix(how),
        )


def _fix(how: str) -> str:
    if how == "set_grad_enabled":
        return "Use `with torch.no_grad():` around the part that needs no gradient, or switch autograd on again after it."
    if how.startswith("decorator"):
        return f"Take {how.removeprefix('decorator ')}() off this function, or run the forward pass inside `with torch.enable_grad():`."
    return "Move the forward pass of these parameters out of the block."
