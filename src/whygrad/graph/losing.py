"""What loss functions were given, place by place, and which operation the scores come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.sources import made_and_called

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph


class Place(NamedTuple):
    """The looks at one loss function in one place."""

    name: str
    stack: int
    looks: tuple[t.LossLook, ...]

    def all(self, holds: Callable[[t.LossLook], bool]) -> bool:
        """Whether something held at every look."""
        return all(map(holds, self.looks))


def places(graph: Graph, *names: str) -> Iterator[Place]:
    """The calls of some loss functions that a backward pass began at, place by place."""
    found: dict[tuple[str, int], list[t.LossLook]] = {}
    for look in graph.trace.learning.losses:
        name = look.name.strip("_")
        if name in names and counts(graph, look.op):
            found.setdefault((name, look.stack), []).append(look)
    for (name, stack), looks in found.items():
        yield Place(name, stack, tuple(looks))


def counts(graph: Graph, op: int) -> bool:
    """Whether the result of an operation went into a loss that was differentiated."""
    outs = graph.trace.ops[op].outs
    return any(out in history for history in graph.flow.loss_histories for out in outs)


# -- places in the source --------------------------------------------------------------------------------


def blamed(graph: Graph, op: int, place: Place, role: str) -> tuple[f.Site, ...]:
    """The places of the operation that should not be there, then that of the loss."""
    return _first([*made_and_called(graph, op, role), *graph.sites(place.stack, "loss", 0)])


def blamed_loss(graph: Graph, place: Place, op: int, role: str) -> tuple[f.Site, ...]:
    """The places of a loss that does not fit, then those of the operation whose result it was given."""
    calls = graph.sites(place.stack, "loss", 0)
    return _first([*calls, *made_and_called(graph, op, role)[-1:], *loss_made(graph, place)])


def loss_made(graph: Graph, place: Place) -> tuple[f.Site, ...]:
    """Where the loss's module was constructed."""
    return made_and_called(graph, place.looks[0].op, "loss made")[:-1]


def _first(sites: list[f.Site]) -> tuple[f.Site, ...]:
    """Three places at most, each line once."""
    found: dict[tuple[str, int], f.Site] = {}
    for site in sites:
        found.setdefault((site.file, site.line), site)
    return tuple(found.values())[:3]


def once(findings: Iterable[f.Finding]) -> Iterator[f.Finding]:
    """The first of the findings that blame the same line: one layer may feed several losses."""
    seen: set[tuple[str, int]] = set()
    for finding in findings:
        first = finding.causes[0] if finding.causes else f.Site("", 0)
        if (first.file, first.line) not in seen:
            seen.add((first.file, first.line))
            yield finding


# -- what was measured -------------------------------------------------------------------------------------


def classes(graph: Graph, look: t.LossLook) -> int:
    """How many classes the scores of a look have."""
    shape = graph.trace.values[look.scores].shape
    return shape[1 if len(shape) > 1 else 0] if shape else 1


def within(look: t.LossLook, low: float, high: float, slack: float = 0.02) -> bool:
    """Whether all scores were in a range."""
    return look.low >= low - slack and look.high <= high + slack


def probabilities(look: t.LossLook) -> bool:
    """Whether the scores of every sample sum to 1 and lie in 0..1 (half precision leaves 1e-2)."""
    return within(look, 0, 1, 1e-3) and look.rows.off < 0.01


def reached(graph: Graph, op: int) -> list[int]:
    """Parameters that an operation's result was computed from, in the order of the trace."""
    found = {graph.trace.values[v].param for v in graph.flow.upstream(graph.trace.ops[op].outs)}
    roles = ("parameter", "tensor")
    return sorted(p for p in found if p >= 0 and graph.trace.params[p].role in roles)


def best_loss(count: int, span: float) -> float:
    """The least cross-entropy of ``count`` classes that scores can reach whose range is ``span`` wide."""
    return math.log1p((count - 1) * math.exp(-span))
