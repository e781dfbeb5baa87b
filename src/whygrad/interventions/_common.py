"""What several rules' interventions have in common: whole interventions, and what they ask of the graph."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.finding import Finding
from whygrad.graph import Graph
from whygrad.proving.intervention import Intervention, Place, at, where

_ACTIVATIONS = ("softmax", "log_softmax", "sigmoid", "relu", "relu_", "tanh", "hardtanh", "softmin")


def operations(graph: Graph, finding: Finding) -> tuple[str, ...]:
    """Names of the operations recorded at the places of a finding; only those the title speaks of, if it names any."""
    names = _called_at(graph, at(finding.causes))
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


def left_trainable(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """requires_grad is not set to False at the finding's lines, and the optimizer gets the parameters."""
    yield Intervention(
        "trainable",
        f"requires_grad left on at {where(finding)}",
        at(finding.causes, "frozen"),
        params=finding.parameters,
        optimizer=optimizer_for(graph, finding),
    )


def handed_over(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """The optimizer gets the live parameters, with the settings of its first group, before its first step."""
    yield Intervention(
        "hand-over",
        "these parameters handed to the optimizer",
        params=finding.parameters,
        optimizer=optimizer_for(graph, finding),
    )


def operation_left_out(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """The operations at the finding's places return their differentiable input."""
    names = operations(graph, finding)
    if names:
        yield Intervention(
            "pass-through", f"{names[0]} at {where(finding)} left out", at(finding.causes), names
        )


def rate_kept(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """The learning rate stays what it was at first, 1e-3 where it was 0 from the start."""
    yield Intervention(
        "keep-rate", "the first learning rate kept", optimizer=optimizer_for(graph, finding), rate=1e-3
    )


def clipping_left_out(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """The gradients are not clipped at the finding's places."""
    yield Intervention(
        "skip",
        f"the clipping at {where(finding)} left out",
        at(finding.causes, "clipped"),
        ("clip_grad_norm_", "clip_grad_value_"),
    )


def activation_left_out(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """The activation that stands between the scores and their loss returns its input; the loss must fall farther."""
    places = at(finding.causes, "normalised", "squeezed", "bounded")
    names = [n for n in _called_at(graph, places) if n in _ACTIVATIONS]
    if names:
        yield Intervention(
            "pass-through", f"{names[0]} left out before the loss", places, tuple(names), shows="learns"
        )


def _called_at(graph: Graph, places: tuple[Place, ...]) -> list[str]:
    """Names of the operations whose innermost place is one of these."""
    wanted = {(place.file, place.line) for place in places}
    names: dict[str, None] = {}
    for kind in graph.trace.kinds:
        if kind.stack >= 0:
            own = graph.trace.frames[graph.trace.stacks[kind.stack][0]]
            if (own.file, own.line) in wanted:
                names.setdefault(kind.name)
    return list(names)
