"""Steps that used gradients again which an earlier step had used, because nothing had cleared them in between."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from whygrad import finding as f
from whygrad.graph.chain import distinct
from whygrad.graph.deposits import HAND, Use

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

_STEPS = 3  #: steps that must have been seen to tell a habit


class Stale(NamedTuple):
    """One optimizer (or the script's own updates): ``again`` of its ``steps`` used old gradients of ``params``."""

    params: list[int]
    again: int
    steps: int
    passes: int
    always: bool
    zeroed: int
    backward: int
    step: int
    sizes: tuple[float, float]

    def sites(self, graph: Graph) -> tuple[f.Site, ...]:
        """Where they are cleared, if they are, then where they are added to, and where they are used."""
        found: list[f.Site] = []
        if self.zeroed >= 0:
            found += graph.sites(self.zeroed, "cleared", 0)
        found += graph.sites(self.backward, "added", 0) + graph.sites(self.step, "step", 0)
        return distinct(found)

    def evidence(self) -> dict[str, float | int]:
        """The gradient at the last stale step beside what its own pass brought."""
        used, own = self.sizes
        return {
            "steps": self.steps,
            "passes_in_gradient": self.passes,
            "grad_norm": used,
            "own_grad_norm": own,
        }


def stale_steps(graph: Graph) -> Iterator[Stale]:
    """For each optimizer the parameters of which several steps used gradients again."""
    deposits = graph.deposits
    for optimizer, used in deposits.by_optimizer():
        stale = {
            p: again
            for p, uses in used.items()
            if len(uses) >= _STEPS and len(again := deposits.again(p, uses)) >= max(2, len(uses) // 3)
        }
        if optimizer == HAND:
            stale = {p: a for p, a in stale.items() if _by_hand(graph, p)}
        if not stale:
            continue
        longest = max(stale, key=lambda p: (len(used[p]), len(stale[p])))
        last = used[longest][stale[longest][-1]]
        yield Stale(
            sorted(stale),
            len(stale[longest]),
            len(used[longest]),
            len(last.passes),
            all(len(again) == len(used[p]) - 1 for p, again in stale.items()),
            _zeroed(graph, optimizer, [u for p in stale for u in used[p]]),
            graph.trace.backwards[last.passes[-1]].stack,
            last.stack,
            _sizes(graph, {p: used[p][again[-1]] for p, again in stale.items()}),
        )


def _by_hand(graph: Graph, param: int) -> bool:
    """Whether the script trains a parameter by updates of its own, and does nothing else to its gradient."""
    touched = [e for e in graph.updates.touching("grad-set", param) if e.data.get("op") != "detach_"]
    return graph.updates.written_by_hand(param) and not touched


def _zeroed(graph: Graph, optimizer: int, uses: list[Use]) -> int:
    """The place of the last clearing by the optimizer or the model that was seen, -1 if there was none."""
    cleared = {u.cleared for u in uses}
    events = [
        e
        for i, e in enumerate(graph.trace.events)
        if i in cleared or (e.kind == "zero-grad" and e.optimizer == optimizer != HAND)
    ]
    return events[-1].stack if events else -1


def _sizes(graph: Graph, uses: dict[int, Use]) -> tuple[float, float]:
    squares = [(u.norm**2, graph.deposits.own(p, u.passes[-1]) ** 2) for p, u in uses.items()]
    return math.sqrt(sum(a for a, _ in squares)), math.sqrt(sum(b for _, b in squares))
