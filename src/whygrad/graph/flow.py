"""The value graph: which parameter reaches which loss by value, and where autograd let go of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import cached_property

from whygrad import trace as t

#: Operations that only hand the same numbers on: a parameter consumed by nothing else is not used.
ALIASES = {
    "detach",
    "data",
    "clone",
    "cpu",
    "cuda",
    "to",
    "contiguous",
    "requires_grad_",
    "detach_",
    "alias",
    "_to_copy",
}


class Flow:
    """Questions over the operations and values of a trace. Parameters are sources: nothing is followed above them."""

    def __init__(self, trace: t.Trace) -> None:
        self.trace = trace
        self._ops_of: dict[int, set[int]] = {}

    @cached_property
    def values_of(self) -> dict[int, list[int]]:
        """Parameter index -> ids of the values it had."""
        found: dict[int, list[int]] = {}
        for vid, value in enumerate(self.trace.values):
            if value.param >= 0:
                found.setdefault(value.param, []).append(vid)
        return found

    @cached_property
    def consumers(self) -> dict[int, list[int]]:
        """Value id -> indices of the operations that took it."""
        found: dict[int, list[int]] = {}
        for index, op in enumerate(self.trace.ops):
            for vid in op.ins:
                found.setdefault(vid, []).append(index)
        return found

    @cached_property
    def probes(self) -> dict[int, list[t.Probe]]:
        """Operation kind -> the second looks at it."""
        found: dict[int, list[t.Probe]] = {}
        for probe in self.trace.probes:
            found.setdefault(self.trace.ops[probe.op].kind, []).append(probe)
        return found

    @cached_property
    def _times(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for op in self.trace.ops:
            found[op.kind] = found.get(op.kind, 0) + 1
        return found

    def shared(self, kind: int) -> bool:
        """Whether a kind of operation runs several times for each backward pass: one place, several operations."""
        return 2 * self._times.get(kind, 0) > 3 * max(1, len(self.trace.backwards))

    def kind(self, op: int) -> t.OpKind:
        """The kind of an operation."""
        return self.trace.kinds[self.trace.ops[op].kind]

    def upstream(self, targets: Iterable[int]) -> set[int]:
        """All values that ``targets`` were computed from, themselves included, up to the parameters."""
        seen = set(targets)
        queue = deque(seen)
        while queue:
            value = self.trace.values[queue.popleft()]
            if value.op < 0 or value.param >= 0:
                continue
            for vid in self.trace.ops[value.op].ins:
                if vid not in seen:
                    seen.add(vid)
                    queue.append(vid)
        return seen

    def made(self, values: Iterable[int]) -> int:
        """The operation that made the first of some values, -1 if there is none."""
        return next((self.trace.values[v].op for v in values), -1)

    def ops_of(self, backward: int) -> set[int]:
        """The operations in the autograd graph of a backward pass."""
        if backward not in self._ops_of:
            self._ops_of[backward] = {n.op for n in self.trace.backwards[backward].nodes} - {-1}
        return self._ops_of[backward]

    @cached_property
    def loss_histories(self) -> list[set[int]]:
        """For each backward pass, the values its losses were computed from."""
        return [self.upstream(b.losses) for b in self.trace.backwards]

    @cached_property
    def by_value(self) -> dict[int, list[int]]:
        """Parameter index -> indices of the backward passes whose loss it reaches by value."""
        found: dict[int, list[int]] = {}
        for index, history in enumerate(self.loss_histories):
            for param in {self.trace.values[v].param for v in history} - {-1}:
                found.setdefault(param, []).append(index)
        return found

    @cached_property
    def from_data(self) -> set[int]:
        """Values that depend on something else than parameters: on the inputs of the model, above all."""
        found = {
            v
            for op in self.trace.ops
            for v in op.ins
            if self.trace.values[v].op < 0 > self.trace.values[v].param
        }
        for op in self.trace.ops:
            if not found.isdisjoint(op.ins):
                found.update(o for o in op.outs if self.trace.values[o].param < 0)
        return found

    @cached_property
    def used(self) -> set[int]:
        """Parameters that some operation computes with (copies and the writes to them do not count)."""
        users: set[int] = set()
        for param, vids in self.values_of.items():
            queue, seen = deque(vids), set(vids)
            while queue:
                vid = queue.popleft()
                for op in self.consumers.get(vid, ()):
                    outs = self.trace.ops[op].outs
                    if any(self.trace.values[o].param >= 0 for o in outs):
                        continue  # written, or copied into another one (a moving average)
                    if self.kind(op).name not in ALIASES:
                        users.add(param)
                        queue.clear()
                        break
                    fresh = [o for o in outs if o not in seen]
                    seen.update(fresh)
                    queue.extend(fresh)
        return users

    def uses(self, param: int) -> list[int]:
        """Operations that take ``param`` directly, without the writes to it."""
        return [
            op
            for vid in self.values_of.get(param, ())
            for op in self.consumers.get(vid, ())
            if not any(self.trace.values[o].param == param for o in self.trace.ops[op].outs)
        ]

    def downstream(self, param: int, within: set[int] | None = None) -> dict[int, int]:
        """Values computed from ``param`` -> the operation that made each (-1 for its own), inside ``within`` if given."""
        found = dict.fromkeys((v for v in self.values_of.get(param, ()) if within is None or v in within), -1)
        queue = deque(found)
        while queue:
            vid = queue.popleft()
            for op in self.consumers.get(vid, ()):
                for out in self.trace.ops[op].outs:
                    if (
                        out not in found
                        and self.trace.values[out].param < 0
                        and (within is None or out in within)
                    ):
                        found[out] = op
                        queue.append(out)
        return found

    def live_downstream(self, param: int, within: set[int] | None = None) -> tuple[set[int], list[int]]:
        """The values that still carry ``param`` for autograd, and the operations where that ends (in order).

        An operation inside a custom Function never counts as an end: the Function's own result decides."""
        start = [v for v in self.values_of.get(param, ()) if within is None or v in within]
        return self.live_from(start, within)

    def live_from(self, start: Iterable[int], within: set[int] | None = None) -> tuple[set[int], list[int]]:
        """The same from some values on."""
        live, ends = set(start), list[int]()
        queue = deque(live)
        while queue:
            vid = queue.popleft()
            for op in self.consumers.get(vid, ()):
                for out in self.trace.ops[op].outs:
                    value = self.trace.values[out]
                    if out in live or value.param >= 0 or (within is not None and out not in within):
                        continue
                    if (value.requires_grad and not self._rewrapped(op)) or self.kind(op).inside:
                        live.add(out)
                        queue.append(out)
                    elif op not in ends:
                        ends.append(op)
        return live, sorted(ends)

    def _rewrapped(self, op: int) -> bool:
        """Whether an operation makes a new leaf: its result requires grad, yet its inputs are not in that graph."""
        return all(self.trace.values[o].leaf for o in self.trace.ops[op].outs)

    def cuts(self, param: int, backward: int) -> list[int]:
        """Operations between ``param`` and the loss of a backward pass where autograd let go of it."""
        return self.live_downstream(param, self.loss_histories[backward])[1]

    def route(self, param: int, backward: int, through: int = -1) -> list[int]:
        """A shortest chain of operations from ``param`` to the loss, through ``through`` if given."""
        history = self.loss_histories[backward]
        goals = set(self.trace.backwards[backward].losses)
        if through < 0:
            return self._chain(self.values_of.get(param, ()), goals, history)
        ins, outs = set(self.trace.ops[through].ins), self.trace.ops[through].outs
        first = self._chain(self.values_of.get(param, ()), ins, history)
        return [*first, through, *self._chain(outs, goals, history)]

    def _chain(self, start: Iterable[int], goals: set[int], within: set[int]) -> list[int]:
        came: dict[int, tuple[int, int] | None] = {v: None for v in start if v in within}
        queue = deque(came)
        while queue:
            vid = queue.popleft()
            if vid in goals:
                chain = []
                step = came[vid]
                while step is not None:
                    chain.append(step[1])
                    step = came[step[0]]
                return chain[::-1]
            for op in self.consumers.get(vid, ()):
                for out in self.trace.ops[op].outs:
                    if out in within and out not in came and self.trace.values[out].param < 0:
                        came[out] = (vid, op)
                        queue.append(out)
        return []
