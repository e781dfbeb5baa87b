"""Parameters that the module tree does not know."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph, distinct, group

_WHERE = {
    "list": (
        "a plain Python list",
        "Put the modules into an nn.ModuleList (parameters into an nn.ParameterList).",
    ),
    "dict": (
        "a plain Python dict",
        "Put the modules into an nn.ModuleDict (parameters into an nn.ParameterDict).",
    ),
    "object": (
        "an object that is not an nn.Module",
        "Let the class of that object derive from nn.Module and call super().__init__() in it.",
    ),
}


def check(graph: Graph) -> Iterator[Finding]:
    """Parameters in lists, dicts and ordinary objects that get gradients and that no optimizer holds."""
    params = graph.trace.params
    hidden = [i for i in graph.sick(1) if params[i].hidden in _WHERE]
    for _, indices in group(
        ((params[i].root, params[i].hidden, _container(params[i].fqn)), i) for i in hidden
    ):
        first = params[indices[0]]
        where, fix = _WHERE[first.hidden]
        container = _container(first.fqn)
        norms = [g.norm for i in indices for _, g in graph.gradients.of.get(i, ())[-1:]]
        yield Finding(
            rule="unregistered-module",
            severity="error",
            title=f"{graph.count(indices)} are unknown to the model: {container} is in {where}",
            parameters=graph.names(indices),
            link=1,
            causes=distinct(
                [
                    *graph.sites(first.assigned, "assigned", 0, True),
                    *graph.sites(first.created, "created", 1, True),
                ]
            ),
            path=graph.path(indices[0]),
            evidence={"grad_norm": max(norms, default=None), "optimizer": None, "weight_change": 0.0},
            fix=f"{fix} As it is, parameters() does not contain them, so the optimizer never sees them.",
        )


def _container(fqn: str) -> str:
    """The attribute that hides it: ``enc.convs[0].weight`` -> ``enc.convs``; ``head.proj.weight`` -> ``head``."""
    return (
        fqn.split("[", maxsplit=1)[0]
        if "[" in fqn
        else ".".join(fqn.split(".")[:-2]) or fqn.split(".", maxsplit=1)[0]
    )
