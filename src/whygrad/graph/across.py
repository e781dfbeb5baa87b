"""Several ranks side by side: the same parameter, step and place on each, and the first moment at which they part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from whygrad import finding as f
from whygrad import trace as t
from whygrad.graph.chain import Graph, distinct

_ROUNDING = 1e-6  #: of a norm: what two machines may differ by for the same computation
_EQUAL = 1e-4  #: of a gradient's norm: two gradients that are the same one

Key = tuple[str, tuple[int, ...]]  #: name and shape of a parameter


class Parting(NamedTuple):
    """Where the copies of one parameter part: ``why`` is ``start`` (they were never equal), ``gradient``, ``skipped`` (a
    GradScaler left the step out on some ranks), ``idle`` (some ranks do not step it), ``rate``, ``update`` or ``write``
    (between two steps). ``step``: the number of its step, from 0."""

    key: Key
    why: str
    step: int


class Across:
    """Questions over the traces of all ranks. ``ranks``: those that know of torch.distributed; fewer than two of them mean
    that nothing can be said."""

    def __init__(self, graph: Graph) -> None:
        pairs = [(one, d) for one in graph.trace.ranks if (d := one.learning.distributed) is not None]
        self.graphs = [Graph(one) for one, _ in pairs]
        self.facts = [d for _, d in pairs]
        self.world = max([d.world for d in self.facts], default=1)
        self.complete = len(pairs) == self.world > 1

    @cached_property
    def traces(self) -> list[t.Trace]:
        """The traces of the ranks, in their order."""
        return [graph.trace for graph in self.graphs]

    def numbers(self, wanted: Iterable[int]) -> tuple[int, ...]:
        """Rank numbers of some positions."""
        return tuple([self.facts[i].rank for i in wanted])

    # -- parameters ------------------------------------------------------------------------------------

    @cached_property
    def shared(self) -> dict[Key, list[int]]:
        """Parameters that every rank has, whole and under the same name, and some optimizer holds: their indices."""
        found: list[dict[Key, int]] = []
        for graph, facts in zip(self.graphs, self.facts, strict=True):
            own: dict[Key, int] = {}
            twice: set[Key] = set()
            wrapped = {p for w in facts.wrappers for p in w.params}
            for index in sorted(set(graph.updates.holders) | wrapped):
                param = graph.trace.params[index]
                key = param.fqn, param.shape
                if param.named and index not in facts.sharded:
                    twice |= {key} & own.keys()
                    own[key] = index
            found.append({key: index for key, index in own.items() if key not in twice})
        keys = [key for key in found[0] if all(key in own for own in found[1:])] if found else []
        return {key: [own[key] for own in found] for key in keys}

    def names(self, keys: Iterable[Key]) -> tuple[str, ...]:
        """As the report shows them."""
        return tuple(dict.fromkeys(name for name, _ in keys))

    def count(self, keys: Sequence[Key]) -> str:
        """``4 of 12 parameters``."""
        return f"{len(keys)} of {max(len(keys), len(self.shared))} parameters"

    @cached_property
    def _rows(self) -> dict[Key, list[list[tuple[int, t.StepParam]]]]:
        found: dict[Key, list[list[tuple[int, t.StepParam]]]] = {}
        tables: list[dict[int, list[tuple[int, t.StepParam]]]] = []
        for trace in self.traces:
            table: dict[int, list[tuple[int, t.StepParam]]] = {}
            for number, step in enumerate(trace.steps):
                for row in step.params:
                    own = table.setdefault(row.param, [])
                    if not own or own[-1][0] != number:
                        own.append((number, row))
            tables.append(table)
        for key, indices in self.shared.items():
            found[key] = [table.get(i, []) for table, i in zip(tables, indices, strict=True)]
        return found

    def history(self, key: Key) -> list[list[tuple[int, t.StepParam]]]:
        """For each rank the steps of a parameter (number in ``Trace.steps``, what it found), as many as all ranks have."""
        rows = self._rows[key]
        common = min(map(len, rows))
        return [own[:common] for own in rows]

    def equal_before(self, key: Key) -> list[bool]:
        """For each step whether the parameter was the same on all ranks when it began."""
        return [_same([row for _, row in step]) for step in zip(*self.history(key), strict=True)]

    def same_gradient(self, key: Key, step: int) -> bool:
        """Whether all ranks' steps found the same gradient (or none)."""
        rows = [own[step] for own in self.history(key)]
        grads = [row.grad for _, row in rows]
        if any(g is None for g in grads):
            return all(g is None for g in grads)
        norms = [g for g in grads if g is not None]
        if any(not math.isfinite(n) for n in norms):
            return all(not math.isfinite(n) for n in norms)
        if max(norms) - min(norms) > _EQUAL * max(norms):
            return False
        parts = [self.part(i, number, row.param) for i, (number, row) in enumerate(rows)]
        seen = [p for p in parts if p is not None]
        return len(seen) < len(parts) or max(seen) - min(seen) <= 10 * _EQUAL * max(norms)

    @cached_property
    def _parts(self) -> list[dict[tuple[int, int], float]]:
        return [
            {(u.tick, p): part for u in d.used for p, part in zip(u.params, u.parts, strict=True)}
            for d in self.facts
        ]

    def part(self, rank: int, step: int, param: int) -> float | None:
        """``LeafGrad.part`` of the gradient that a step used."""
        return self._parts[rank].get((self.traces[rank].steps[step].tick, param))

    @cached_property
    def partings(self) -> list[Parting]:
        """The first moment of each parameter whose copies part, and do not meet again within the window."""
        found = []
        for key in self.shared:
            parting = self._parting(key)
            if parting is not None:
                found.append(parting)
        return found

    def _parting(self, key: Key) -> Parting | None:
        if any(not own for own in self._rows[key]) and any(self._rows[key]):
            began = [self._sketch(i, index, False) for i, index in enumerate(self.shared[key])]
            alike = len({s.checksum for s in began if s is not None}) == 1
            # a rank may step what it sends to the others afterwards
            sent = any(call.what == "parameter" for d in self.facts for call in d.collectives)
            parted = alike and not sent and self.equal_at_the_end(key) is False
            return Parting(key, "idle", 0) if parted else None
        equal = self.equal_before(key)
        ends = self.equal_at_the_end(key)
        if ends is not None:
            equal = [*equal, ends]
        if all(equal) or not equal or equal[-1]:
            return None  # what has parted and met again is averaged now and then
        first = equal.index(False)
        if first == len(equal) - 1 and first > 0:
            return None  # the last look may lie in the middle of a step that sends the result round
        if any(equal[first:]):
            return None
        return Parting(key, "start", 0) if first == 0 else Parting(key, self._why(key, first - 1), first - 1)

    def _why(self, key: Key, step: int) -> str:
        history = self.history(key)
        rows = [own[step] for own in history]
        steps = [trace.steps[number] for trace, (number, _) in zip(self.traces, rows, strict=True)]
        if len({s.skipped for s in steps}) > 1:
            return "skipped"
        moved = [graph.updates.moved(row) for graph, (_, row) in zip(self.graphs, rows, strict=True)]
        if len({row.grad is None for _, row in rows}) > 1 and len(set(moved)) > 1:
            return "idle"
        if not self.same_gradient(key, step):
            return "gradient"
        if len({self.rate(i, s, key) for i, s in enumerate(steps)}) > 1:
            return "rate"
        if len(set(moved)) > 1:
            return "idle"
        updates = [row.update for _, row in rows]
        return "update" if max(updates) - min(updates) > _ROUNDING * max(updates) else "write"

    def rate(self, rank: int, step: t.Step, key: Key) -> float | None:
        """The learning rate of a parameter at a step."""
        index = self.shared[key][rank]
        groups = self.traces[rank].optimizers[step.optimizer].groups
        return next((lr for g, lr in zip(groups, step.lrs, strict=False) if index in g.params), None)

    def equal_at_the_end(self, key: Key) -> bool | None:
        """Whether a parameter was the same on all ranks at the end; None if that can't be told."""
        looks = [self._sketch(i, index, True) for i, index in enumerate(self.shared[key])]
        sketches = [s for s in looks if s is not None]
        steps = {d.last.steps for d in self.facts if d.last is not None}
        if len(sketches) < len(looks) or len(steps) != 1:
            return None
        return len({s.checksum for s in sketches}) == 1 or apart(sketches) <= _ROUNDING

    def _sketch(self, rank: int, index: int, last: bool) -> t.Sketch | None:
        moment = self.facts[rank].last if last else self.facts[rank].first
        return None if moment is None else next((s for s in moment.sketches if s.param == index), None)

    def distance(self, keys: Iterable[Key]) -> float | None:
        """The greatest distance of two ranks' copies at the end, as a share of the parameter's norm; None: not known."""
        found = []
        for key in keys:
            looks = [self._sketch(i, index, True) for i, index in enumerate(self.shared[key])]
            if all(s is not None for s in looks):
                found.append(apart([s for s in looks if s is not None]))
        return max(found, default=None)

    # -- what binds the ranks ----------------------------------------------------------------------------

    def wrapper(self, rank: int, key: Key) -> t.Wrapper | None:
        """The wrapper that synchronises a parameter's gradients among all ranks."""
        index = self.shared[key][rank]
        wrappers = reversed(self.facts[rank].wrappers)
        return next((w for w in wrappers if index in w.params and w.world == self.world), None)

    def wrapped(self, key: Key) -> bool:
        """Whether such a wrapper has it on every rank."""
        return all(self.wrapper(i, key) is not None for i in range(len(self.graphs)))

    @cached_property
    def by_hand(self) -> list[dict[int, list[t.Collective]]]:
        """For each rank: parameter index -> the collectives that reduced its gradient."""
        found: list[dict[int, list[t.Collective]]] = []
        for facts in self.facts:
            own: dict[int, list[t.Collective]] = {}
            for call in facts.collectives:
                if call.what in ("gradient", "like") and "reduce" in call.name and call.world == self.world:
                    for param in call.params:
                        own.setdefault(param, []).append(call)
            found.append(own)
        return found

    def reduced_by_hand(self, key: Key) -> bool:
        """Whether the script itself reduces the parameter's gradient, on every rank."""
        return all(index in own for index, own in zip(self.shared[key], self.by_hand, strict=True))

    def bound(self, key: Key) -> bool:
        """Whether the copies of a parameter are meant to be the same: their gradients are synchronised."""
        return self.wrapped(key) or self.reduced_by_hand(key)

    @cached_property
    def data_parallel(self) -> bool:
        """Whether the ranks train one model together, each on data of its own."""
        tensor_parallel = any(d.tensor_parallel for d in self.facts)
        return self.complete and not tensor_parallel and (self.sharded or any(map(self.bound, self.shared)))

    @property
    def sharded(self) -> bool:
        """Whether FSDP has parts of the model."""
        return all(d.sharded and not d.tensor_parallel for d in self.facts)

    @property
    def averaging(self) -> bool:
        """Whether parameters are averaged now and then instead."""
        return any(d.averaging for d in self.facts)

    # -- places ------------------------------------------------------------------------------------------

    def place(self, rank: int, stack: int) -> tuple[tuple[str, int], ...]:
        """A stack as files and lines: the same on all ranks for the same place."""
        trace = self.traces[rank]
        if stack < 0:
            return ()
        return tuple([(trace.frames[i].file, trace.frames[i].line) for i in trace.stacks[stack]])

    def on_some(self, stacks: Sequence[Iterable[int]], role: str, callers: int = 1) -> tuple[f.Site, ...]:
        """Of places given for each rank, those that not all ranks have."""
        places = [{self.place(i, s): s for s in own if s >= 0} for i, own in enumerate(stacks)]
        found: list[f.Site] = []
        for i, own in enumerate(places):
            only = [s for place, s in own.items() if not all(place in other for other in places)]
            found += self.sites(i, only, f"{role} on rank {self.facts[i].rank} only", callers)
        return distinct(found)

    def sites(self, rank: int, stacks: Iterable[int], role: str, callers: int = 1) -> tuple[f.Site, ...]:
        """Places of one rank's stacks, each once."""
        return distinct(s for stack in stacks for s in self.graphs[rank].sites(stack, role, callers))


def apart(sketches: Sequence[t.Sketch]) -> float:
    """The greatest distance of two sketched tensors, as a share of the greater norm (see ``observe.sketching``)."""
    greatest = 0.0
    for i, one in enumerate(sketches):
        for other in sketches[i + 1 :]:
            if one.checksum == other.checksum:
                continue
            squares = [(a - b) ** 2 for a, b in zip(one.products, other.products, strict=True)]
            norm = max(one.norm, other.norm) or 1.0
            greatest = max(greatest, math.sqrt(sum(squares) / len(squares)) / norm)
    return greatest


def _same(rows: Sequence[t.StepParam]) -> bool:
    return len({row.before for row in rows}) == 1 or all(not math.isfinite(row.norm) for row in rows)


def compared(graph: Graph) -> Across:
    """The comparison of a joined trace's ranks, made once for all rules."""
    known = vars(graph).setdefault("_across", None)
    found: Across = known if known is not None else Across(graph)
    vars(graph)["_across"] = found
    return found


def grouped(partings: Iterable[Parting], why: str) -> list[Parting]:
    """Those of one kind."""
    return [p for p in partings if p.why == why]


def between(trace: t.Trace, kind: str, after: int, before: int) -> Iterator[t.Event]:
    """Events of a kind whose ticks lie between two."""
    return (e for e in trace.events if e.kind == kind and after < e.tick < before)
