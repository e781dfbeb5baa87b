"""What the interventions ask of the graph: operations at a finding's places, and the optimizer concerned."""

from __future__ import annotations

from whygrad.finding import Finding
from whygrad.graph import Graph


def operations(graph: Graph, finding: Finding) -> tuple[str, ...]:
    """Names of the operations recorded at the places of a finding; only those the title speaks of, if it names any."""
    wanted = {(s.file, s.line) for s in finding.causes}
    names: dict[str, None] = {}
    for kind in graph.trace.kinds:
        frames = graph.trace.stacks[kind.stack] if kind.stack >= 0 else ()
        if frames:
            own = graph.trace.frames[frames[0]]
            if (own.file, own.line) in wanted:
                names.setdefault(kind.name)
    told = [name for name in names if name.strip("_") in finding.title]
    return tuple(told or names)


def holds(graph: Graph, optimizer: int, name: str) -> bool:
    """Whether an optimizer holds a parameter of that name."""
    held = (p for group in graph.trace.optimizers[optimizer].groups for p in group.params)
    return any(graph.trace.params[p].fqn == name for p in held)


def optimizer_for(graph: Graph, finding: Finding) -> int:
    """The optimizer that holds the finding's parameters, else one that holds others of their model, else the first."""
    numbers = range(len(graph.trace.optimizers))
    for number in numbers:
        if any(holds(graph, number, name) for name in finding.parameters):
            return number
    roots = {p.root for p in graph.trace.params if p.fqn in finding.parameters}
    for number in numbers:
        held = [p for group in graph.trace.optimizers[number].groups for p in group.params]
        if any(graph.trace.params[p].root in roots for p in held):
            return number
    return 0
