"""Optimizers and steps: who holds a parameter, what each step found, and whether the change stayed."""

from __future__ import annotations

import math
from functools import cached_property

from whygrad import trace as t


class Updates:
    """Questions over the steps and optimizers of a trace."""

    def __init__(self, trace: t.Trace) -> None:
        self.trace = trace

    @cached_property
    def holders(self) -> dict[int, list[tuple[int, int]]]:
        """Parameter index -> (optimizer, group) that hold it at the end."""
        found: dict[int, list[tuple[int, int]]] = {}
        for index, optimizer in enumerate(self.trace.optimizers):
            for number, group in enumerate(optimizer.groups):
                for param in group.params:
                    found.setdefault(param, []).append((index, number))
        return found

    @cached_property
    def rows(self) -> dict[int, list[tuple[int, t.StepParam]]]:
        """Parameter index -> (step, what it found) for every step that was taken and measured."""
        found: dict[int, list[tuple[int, t.StepParam]]] = {}
        for index, step in enumerate(self.trace.steps):
            if not step.skipped:
                for row in step.params:
                    found.setdefault(row.param, []).append((index, row))
        return found

    @cached_property
    def events(self) -> dict[str, list[t.Event]]:
        """Events by kind."""
        found: dict[str, list[t.Event]] = {}
        for event in self.trace.events:
            found.setdefault(event.kind, []).append(event)
        return found

    def touching(self, kind: str, param: int) -> list[t.Event]:
        """Events of a kind that concern a parameter."""
        return [e for e in self.events.get(kind, ()) if param in e.params]

    @staticmethod
    def moved(row: t.StepParam) -> bool:
        """Whether a step changed the parameter."""
        return row.update > 0 or (math.isnan(row.update) and row.before != row.after)

    def trained(self, param: int) -> bool:
        """Whether some step (a later one, if there are several) had a usable gradient and changed the parameter."""
        rows = [row for _, row in self.rows.get(param, ())]
        later = rows[len(rows) // 2 :]
        return any(
            r.grad is not None and r.grad > 0 and math.isfinite(r.grad) and self.moved(r) for r in later
        )

    def resets(self, param: int) -> list[int]:
        """Steps before which the parameter had gone back, bit for bit, to a value it had had before some earlier
        step, having been changed in between."""
        rows = self.rows.get(param, [])
        back: list[int] = []
        earlier: set[int] = set()
        previous: t.StepParam | None = None
        for index, row in rows:
            # all parameters that are NaN throughout are alike, and the last bit of a single number may swing to and fro
            size = math.prod(self.trace.params[param].shape)
            known = math.isfinite(row.norm) and (
                size > 8 or previous is None or not previous.update <= 1e-6 * row.norm
            )
            if known and row.before in earlier and previous is not None and self.moved(previous):
                back.append(index)
            earlier.add(row.before)
            previous = row
        return back

    @cached_property
    def spoilt(self) -> float:
        """The tick at which parameters had become non-finite; infinite if none ever did."""
        before, sound = 0, set()
        for step in self.trace.steps:
            if any(not math.isfinite(r.norm) and r.param in sound for r in step.params):
                return before
            sound.update(r.param for r in step.params if math.isfinite(r.norm))
            before = step.tick
        return math.inf

    def written_by_hand(self, param: int) -> bool:
        """Whether user code wrote the parameter in several iterations, and it ended elsewhere than it began."""
        writes = self.touching("write", param)
        return len({e.step for e in writes} | {self.backwards_before(e.tick) for e in writes}) >= 2 and (
            self.trace.params[param].changed or self.trace.params[param].last is None
        )

    def backwards_before(self, tick: int) -> int:
        """Number of backward passes begun before ``tick``."""
        return sum(1 for b in self.trace.backwards if b.tick < tick)

    def has_optimizer(self) -> bool:
        """Whether any torch optimizer holds anything."""
        return bool(self.holders)
