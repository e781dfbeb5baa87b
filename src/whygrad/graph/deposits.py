"""What each parameter's ``.grad`` was made of: which backward passes had been added up in it when something used it.

Told by what was measured (a pass found zeros or nothing in ``.grad``: it had been cleared), and by the calls that clear.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from whygrad import trace as t

if TYPE_CHECKING:
    from whygrad.graph.chain import Graph

HAND = -1  #: an update that the script writes itself, in place of an optimizer
_CLEARING = ("None", "zero_", "fill_")
_SAME = 1e-3  #: a gradient whose norm is this close to what it was has not been touched


class Use(NamedTuple):
    """An update that used a gradient: ``passes`` had been added up in it, ``norm`` is what it was then (nan: unknown),
    ``cleared`` the event that had cleared it last (-1: none was seen)."""

    tick: int
    optimizer: int
    stack: int
    norm: float
    passes: tuple[int, ...]
    cleared: int


class Deposits:
    """Questions over the gradients' contents; one sweep over the trace in the order of its ticks."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.trace = graph, graph.trace
        self.uses: dict[int, list[Use]] = {}
        #: for each event of kind ``clip``, by parameter: the passes in the gradient, and whether it had been used
        self.clipped: dict[int, dict[int, tuple[tuple[int, ...], bool]]] = {}
        #: the norm of what a pass found in ``.grad``, by pass and parameter
        self.found: dict[int, dict[int, float]] = {}
        #: what became of a gradient between its last use and the next pass, as a factor of its norm
        self.factors: dict[tuple[int, int], float] = {}
        self._now: dict[int, list[int]] = {}
        self._cleared: dict[int, int] = {}
        self._sweep()

    def _sweep(self) -> None:
        carried = {c.tick: dict(zip(c.params, c.norms, strict=True)) for c in self.trace.learning.carried}
        moments: list[tuple[int, int, int]] = []
        moments += [(b.tick, 0, i) for i, b in enumerate(self.trace.backwards) if b.kind == "backward"]
        moments += [(s.tick, 1, i) for i, s in enumerate(self.trace.steps)]
        moments += [(e.tick, 2, i) for i, e in enumerate(self.trace.events)]
        for _, kind, index in sorted(moments):
            if kind == 0:
                self._backward(index, carried)
            elif kind == 1:
                self._step(self.trace.steps[index])
            else:
                self._event(index)

    def _backward(self, index: int, carried: dict[int, dict[int, float]]) -> None:
        backward = self.trace.backwards[index]
        found = self.found[index] = carried.get(backward.tick, {})
        for param, passes in self._now.items():
            last = self.uses.get(param)
            if passes and last and last[-1].passes == tuple(passes) and last[-1].norm > 0:
                self.factors[(index, param)] = found.get(param, 0.0) / last[-1].norm
            if param not in found:
                passes.clear()
        for grad in backward.grads:
            if grad.norm != 0:
                self._now.setdefault(grad.param, []).append(index)

    def _step(self, step: t.Step) -> None:
        rows = {row.param: row for row in step.params}  # one may stand twice in a group
        for row in rows.values() if not step.skipped else ():
            passes = self._now.get(row.param)
            if not passes or row.grad is None or row.grad == 0:
                continue
            if self.graph.updates.moved(row):
                self._use(row.param, step.tick, step.optimizer, step.stack, row.grad)

    def _use(self, param: int, tick: int, optimizer: int, stack: int, norm: float) -> None:
        use = Use(tick, optimizer, stack, norm, tuple(self._now[param]), self._cleared.get(param, -1))
        self.uses.setdefault(param, []).append(use)

    def _event(self, index: int) -> None:
        event = self.trace.events[index]
        if event.kind == "zero-grad" or (event.kind == "grad-set" and event.data.get("op") in _CLEARING):
            for param in event.params:
                self._now.get(param, []).clear()
                self._cleared[param] = index
        elif event.kind == "clip" or (event.kind == "grad-set" and "clamp" in str(event.data.get("op"))):
            self.clipped[index] = {
                p: (now, any(u.passes == now for u in self.uses.get(p, [])[-1:]))
                for p in event.params
                for now in [tuple(self._now.get(p, ()))]
            }
        elif event.kind == "write":
            for param in event.params:
                if self._now.get(param) and param not in self.graph.updates.holders and self._read(param):
                    self._use(param, event.tick, HAND, event.stack, math.nan)

    def _read(self, param: int) -> bool:
        return bool(self.graph.updates.touching("grad-read", param))

    # -- questions ---------------------------------------------------------------------------------------

    @cached_property
    def takers(self) -> dict[int, set[int]]:
        """For each pass, the optimizers that used it before the next pass began."""
        passes = [i for i, b in enumerate(self.trace.backwards) if b.kind == "backward"]
        ends = [self.trace.backwards[i].tick for i in passes[1:]]
        until = dict(zip(passes, [*ends, math.inf], strict=True)) if passes else {}
        found: dict[int, set[int]] = {i: set() for i in passes}
        for uses in self.uses.values():
            for use in uses:
                if use.tick < until[use.passes[-1]]:
                    found[use.passes[-1]].add(use.optimizer)
        return found

    def clipped_by(self, event: t.Event) -> list[tuple[tuple[int, ...], bool]]:
        """What a clipping met, for each of its parameters: the passes in the gradient, and whether a step had used it."""
        return list(self.clipped.get(self.trace.events.index(event), {}).values())

    def by_optimizer(self) -> Iterator[tuple[int, dict[int, list[Use]]]]:
        """For each optimizer (and for updates by hand) the uses of each of its parameters."""
        found: dict[int, dict[int, list[Use]]] = {}
        for param, uses in self.uses.items():
            for use in uses:
                found.setdefault(use.optimizer, {}).setdefault(param, []).append(use)
        yield from sorted(found.items())

    def again(self, param: int, uses: list[Use]) -> list[int]:
        """Positions in ``uses`` (of one optimizer) where a pass was used that an earlier one had used already, with its
        gradient left as it was meanwhile (not decayed, say)."""
        spent: set[int] = set()
        found = []
        for position, use in enumerate(uses):
            fresh = [b for b in use.passes if b not in spent]
            # without a fresh one the passes in between were not recorded: nothing is known of what was cleared
            if fresh and len(fresh) < len(use.passes) and self._untouched(param, fresh[0]):
                found.append(position)
            spent.update(use.passes)
        return found

    def _untouched(self, param: int, backward: int) -> bool:
        return abs(self.factors.get((backward, param), 1.0) - 1) <= _SAME

    def cosine(self, param: int, use: Use) -> float:
        """The cosine between the gradient of the last pass in a use and what it was added to; nan where unknown."""
        own, before = self.own(param, use.passes[-1]), self.before(param, use.passes[-1])
        if own * before == 0 or not math.isfinite(own * before * use.norm):
            return math.nan
        cosine = (use.norm**2 - own**2 - before**2) / (2 * own * before)
        return cosine if abs(cosine) <= 1.01 else math.nan  # clipped or scaled in between

    def own(self, param: int, backward: int) -> float:
        """The norm of what one pass brought to a parameter."""
        return self._own.get((param, backward), 0.0)

    def before(self, param: int, backward: int) -> float:
        """The norm of what one pass found in ``.grad`` of a parameter."""
        return self.found.get(backward, {}).get(param, 0.0)

    @cached_property
    def _own(self) -> dict[tuple[int, int], float]:
        return {(g.param, i): g.norm for i, b in enumerate(self.trace.backwards) for g in b.grads}

    # -- places --------------------------------------------------------------------------------------------

    @cached_property
    def _around(self) -> dict[int, tuple[t.Around, ...]]:
        return {p.stack: p.around for p in self.trace.learning.places}

    def loops(self, stack: int) -> list[t.Around]:
        """The loops around a place, from the outermost inwards."""
        return [a for a in self._around.get(stack, ()) if a.kind != "if"]

    def conditions(self, stack: int, beside: int) -> list[t.Around]:
        """The conditions around a place that are not around another one."""
        other = set(self._around.get(beside, ()))
        return [a for a in self._around.get(stack, ()) if a.kind == "if" and a not in other]
