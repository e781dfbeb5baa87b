"""The table of parameters in a report: what became of each one, in numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from whygrad.finding import Finding, ParameterVerdict, Station
from whygrad.graph import Graph
from whygrad.graph.routes import Routes, first_use
from whygrad.trace import Param, Trace

#: Broken link (None: none is broken) and verdict of one entry of ``Trace.params``.
Verdict = tuple[int | None, str]


def judged(trace: Trace, findings: Iterable[Finding]) -> list[int]:
    """Which entries of ``trace.params`` belong in the table.

    These are the model's parameters, whatever an optimizer holds, and whatever a finding names.
    Passing values without a name, and modules that were thrown away unused, are no part of the training."""
    named = {name for finding in findings for name in finding.parameters}
    held = {p for optimizer in trace.optimizers for group in optimizer.groups for p in group.params}
    used = held.union(*(backward.reached for backward in trace.backwards))
    return [
        index
        for index, param in enumerate(trace.params)
        if index in held
        or not named.isdisjoint((param.fqn, *param.aliases))
        or (param.role == "parameter" and param.named and (param.alive or index in used))
    ]


def table(
    graph: Graph,
    rows: Sequence[int],
    verdicts: Sequence[Verdict],
    findings: Sequence[Finding],
    stations: list[Station],
) -> tuple[ParameterVerdict, ...]:
    """One :class:`ParameterVerdict` for each of ``rows`` (indices into ``trace.params``). Their ways to the loss are
    added to ``stations``."""
    trace, routes = graph.trace, Routes(graph, stations)
    norms, changes, homes = _gradients(trace), _changes(trace), _homes(trace)
    rules: dict[str, dict[str, None]] = {}
    for finding in findings:
        for name in finding.parameters:
            rules.setdefault(name, {})[finding.rule] = None
    out = []
    for index in rows:
        param = trace.params[index]
        link, verdict = verdicts[index]
        kind, group, lr = homes.get(index, (None, None, None))
        steps = [row for _, row in graph.updates.rows.get(index, ())]
        slugs = {slug: None for name in (param.fqn, *param.aliases) for slug in rules.get(name, ())}
        out.append(
            ParameterVerdict(
                fqn=param.fqn,
                shape=param.shape,
                dtype=param.dtype,
                requires_grad=param.requires_grad,
                optimizer=kind,
                group=group,
                lr=lr,
                verdict=verdict,
                broken_link=link,
                grad_norm=tuple(norms.get(index, ())),
                weight_change=_weight_change(param, changes.get(index)),
                findings=tuple(slugs),
                module=param.owner,
                registered=param.registered,
                created=next(iter(graph.sites(param.created, "created", 0)), None),
                used=first_use(graph, index),
                grad_at_step=tuple(row.grad for row in steps),
                update_ratio=tuple(
                    row.update / row.norm if row.norm else None if row.update else 0.0 for row in steps
                ),
                path=routes.begin(index),
            )
        )
    return tuple(out)


def _gradients(trace: Trace) -> dict[int, list[float | None]]:
    """For each parameter the gradient's norm at every backward pass whose graph it was in."""
    norms: dict[int, list[float | None]] = {}
    for backward in trace.backwards:
        found = {grad.param: grad.norm for grad in backward.grads}
        for index in dict.fromkeys((*backward.reached, *found)):
            norms.setdefault(index, []).append(found.get(index))
    return norms


def _changes(trace: Trace) -> dict[int, tuple[float, float]]:
    """For each parameter the summed norms of its updates, and its norm before the first of them."""
    changes: dict[int, tuple[float, float]] = {}
    for step in trace.steps:
        for entry in step.params:
            total, first = changes.get(entry.param, (0.0, entry.norm))
            changes[entry.param] = (total + entry.update, first)
    return changes


def _weight_change(param: Param, change: tuple[float, float] | None) -> float | None:
    """How far the parameter moved, relative to its size; None if that was not measured."""
    if change is None:
        # No step was seen at it: that it stayed as it was is known, how far other hands moved it is not.
        seen = param.first is not None and param.last is not None
        return 0.0 if seen and not param.changed else None
    total, norm = change
    if total == 0.0:
        return 0.0
    norm = norm or (param.first[0] if param.first else 0.0) or (param.last[0] if param.last else 0.0)
    return total / norm if norm else None


def _homes(trace: Trace) -> dict[int, tuple[str, int, float | None]]:
    """For each parameter the optimizer that holds it (the one that stepped most), its group and rate."""
    last_rates = {step.optimizer: step.lrs for step in trace.steps if not step.skipped}
    order = sorted(range(len(trace.optimizers)), key=lambda index: -trace.optimizers[index].steps)
    homes: dict[int, tuple[str, int, float | None]] = {}
    for index in order:
        optimizer, rates = trace.optimizers[index], last_rates.get(index, ())
        for number, group in enumerate(optimizer.groups):
            rate = rates[number] if number < len(rates) else group.lr
            for param in group.params:
                homes.setdefault(param, (optimizer.kind, number, rate))
    return homes
