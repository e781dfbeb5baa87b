"""Optimizers and steps: who holds a parameter, what each step found, and whether the change stayed."""

from __future__ import annotations

import itertools
import math
from functools import cached_property

from whygrad import trace as t

_NOISE = 1e-5  #: of the greatest gradient of the same step
#: Ends of the names of functions that fill a tensor with random numbers.
_RANDOM = ("uniform_", "normal_", "orthogonal_")


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
                    own = found.setdefault(row.param, [])
                    if not own or own[-1][0] != index:  # it may stand twice in a group
                        own.append((index, row))
        return found

    @cached_property
    def events(self) -> dict[str, list[t.Event]]:
        """Events by kind."""
        found: dict[str, list[t.Event]] = {}
        for event in self.trace.events:
            found.setdefault(event.kind, []).append(event)
        return found

    @cached_property
    def _touching(self) -> dict[tuple[str, int], list[t.Event]]:
        found: dict[tuple[str, int], list[t.Event]] = {}
        for event in self.trace.events:
            for param in event.params:
                found.setdefault((event.kind, param), []).append(event)
        return found

    def touching(self, kind: str, param: int) -> list[t.Event]:
        """Events of a kind that concern a parameter."""
        return self._touching.get((kind, param), [])

    @staticmethod
    def moved(row: t.StepParam) -> bool:
        """Whether a step changed the parameter."""
        return row.update > 0 or (math.isnan(row.update) and row.before != row.after)

    def unmeasured(self, index: int) -> bool:
        """Whether no step could look at a parameter: of a sharded one this rank may hold nothing at all."""
        rows = self.rows.get(index, ())
        return bool(rows) and all(math.isnan(row.norm) and not row.before for _, row in rows)

    def trained(self, param: int) -> bool:
        """Whether some step (a later one, if there are several) had a usable gradient and changed the parameter."""
        rows = [row for _, row in self.rows.get(param, ())]
        later = rows[len(rows) // 2 :]
        return any(
            r.grad is not None and r.grad > 0 and math.isfinite(r.grad) and self.moved(r) for r in later
        )

    def resets(self, param: int) -> list[int]:
        """Steps before which the parameter had gone back, bit for bit, to a value it had had before some earlier step
        of the same optimizer, having been changed in between."""
        back: list[int] = []
        earlier: set[tuple[int, int]] = set()
        followed: set[tuple[int, int]] = set()
        previous: tuple[int, t.StepParam] | None = None
        for index, row in self.rows.get(param, []):
            optimizer = self.trace.steps[index].optimizer
            if previous is not None and self._returns(param, previous[1], row):
                same = self.trace.steps[previous[0]].optimizer == optimizer
                # where training repeats itself bit for bit, only the jump back counts, not what follows it
                known = (previous[1].before, row.before) in followed
                if same and not known and (optimizer, row.before) in earlier:
                    back.append(index)
                else:
                    followed.add((previous[1].before, row.before))
            earlier.add((optimizer, row.before))
            previous = index, row
        return back

    def _returns(self, param: int, previous: t.StepParam, row: t.StepParam) -> bool:
        """Whether the bits of a value can tell a return: all parameters that are NaN throughout are alike, and the
        last bits of a few numbers (or of more, where the gradient is rounding noise) may swing to and fro."""
        size = math.prod(self.trace.params[param].shape)
        if not math.isfinite(row.norm) or not self.moved(previous):
            return False
        return not previous.update <= (1e-7 if size > 8 else 1e-6) * row.norm

    def noise(self, param: int) -> bool:
        """Whether the gradients that the steps found are so small beside the others that they can only be rounding,
        as those of the bias in front of a normalisation layer."""
        rows = self.rows.get(param, [])
        return bool(rows) and all(self._size(row) <= _NOISE * self._greatest[step] for step, row in rows)

    @cached_property
    def _greatest(self) -> list[float]:
        """The greatest gradient (an element, by root mean square) that each step found."""
        return [max(map(self._size, step.params), default=0.0) for step in self.trace.steps]

    def _size(self, row: t.StepParam) -> float:
        elements = max(1, math.prod(self.trace.params[row.param].shape))
        return (row.grad or 0.0) / math.sqrt(elements)

    def overwrites(self, param: int) -> list[tuple[int, int]]:
        """(step, place) of what undid training between two steps of one optimizer: a return to earlier values, or a
        random initialisation; the place is -1 where the write was not seen."""
        rows = self.rows.get(param, [])
        writes = self.touching("write", param)
        returns = set(self.resets(param))
        found = []
        for (before, first), (after, _) in itertools.pairwise(rows):
            steps = self.trace.steps
            between = [e for e in writes if steps[before].tick < e.tick < steps[after].tick]
            random = [e for e in between if str(e.data.get("op")).endswith(_RANDOM)]
            if after in returns:
                found.append((after, between[-1].stack if between else -1))
            elif random and self.moved(first) and steps[before].optimizer == steps[after].optimizer:
                found.append((after, random[-1].stack))
        return found

    def overwritten(self, param: int) -> bool:
        """Whether that is a habit: seen twice, or once by the very line that had set the values at first."""
        places = [place for _, place in self.overwrites(param)]
        return len(places) > 1 or (bool(places) and places[0] == self.trace.params[param].written != -1)

    @cached_property
    def spoilt(self) -> float:
        """The tick at which parameters had become non-finite; infinite if none ever did."""
        before = 0
        sound: set[int] = set()
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
