"""What the model was fed: which batches of which loader, which targets went with them, in which order the rows were."""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import cached_property

from whygrad import trace as t
from whygrad.graph.chain import Graph


class Stream:
    """The targets of one place of the loss, pass after pass. ``created``: where the batches are taken from the data (the
    loader, or the slice). ``classes`` are the number of rows of each class in each batch."""

    def __init__(
        self, stack: int, created: int, loader: t.Loader | None, feds: list[t.Fed | t.Field]
    ) -> None:
        self.stack, self.created, self.loader, self.feds = stack, created, loader, feds
        self.column: t.Column | None = None


class Feeding:
    """Questions over ``trace.learning.data``."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.data = graph.trace.learning.data

    @cached_property
    def passes(self) -> dict[int, list[t.Fed]]:
        """Backward pass -> what was fed for it."""
        found: dict[int, list[t.Fed]] = defaultdict(list)
        for fed in self.data.feds:
            if fed.backward < len(self.graph.trace.backwards):
                found[fed.backward].append(fed)
        return found

    def targets(self, backward: int) -> list[t.Fed]:
        """What was given to a loss function, or subtracted from outputs where there was none."""
        fed = self.passes.get(backward, [])
        return [f for f in fed if f.role == "target"] or [f for f in fed if f.role == "operand"]

    def inputs(self, backward: int) -> list[t.Fed]:
        """What met a parameter."""
        return [f for f in self.passes.get(backward, []) if f.role == "input"]

    @cached_property
    def training(self) -> dict[int, list[t.Batch]]:
        """Loader -> its batches that a backward pass followed (before its next batch)."""
        found: dict[int, list[t.Batch]] = defaultdict(list)
        by_loader: dict[int, list[t.Batch]] = defaultdict(list)
        for batch in self.data.batches:
            by_loader[batch.loader].append(batch)
        for loader, batches in by_loader.items():
            last = len(self.graph.trace.backwards)
            for batch, after in zip(batches, [*[b.backward for b in batches[1:]], last], strict=True):
                if batch.grad and (after > batch.backward or batch is batches[-1]):
                    found[loader].append(batch)
        return {
            k: b
            for k, b in found.items()
            if any(x.backward < len(self.graph.trace.backwards) for x in b[:-1]) or len(b) == 1
        }

    def fed_field(self, loader: int, role: str) -> str | None:
        """The field of a loader's batches that was fed in that role, known by its contents."""
        wanted = {f.content for fed in self.passes.values() for f in fed if f.role == role}
        if role == "target" and not any(f.role == "target" for fed in self.passes.values() for f in fed):
            wanted = {f.content for fed in self.passes.values() for f in fed if f.role == "operand"}
        votes: dict[str, int] = defaultdict(int)
        batches = self.training.get(loader, [])
        for batch in batches:
            for field in batch.fields:
                votes[field.name] += field.content in wanted
        best = max(votes, key=lambda name: votes[name], default=None)
        return best if best is not None and votes[best] >= min(2, len(batches)) else None

    def streams(self) -> list[Stream]:
        """Targets that come in the order in which the data lie."""
        found = []
        columns = dict(self.data.loader_columns)
        known: set[int] = set()
        for index, batches in self.training.items():
            name = self.fed_field(index, "target")
            fields = [f for b in batches for f in b.fields if f.name == name]
            known |= {f.content for f in fields}
            if name is not None and len(batches) > 1 and all(b.ordered for b in batches):
                loader = self.data.loaders[index]
                stream = Stream(batches[0].stack, loader.created, loader, list(fields))
                column = columns.get(index, -1)
                stream.column = self.data.columns[column] if column >= 0 else None
                found.append(stream)
        return found + self._sliced(known)

    def _sliced(self, known: set[int]) -> list[Stream]:
        by_place: dict[int, list[t.Fed]] = defaultdict(list)
        for backward in self.passes:
            for fed in self.targets(backward)[:1]:
                by_place[fed.stack].append(fed)
        found = []
        for stack, feds in by_place.items():
            follows = [a.store == b.store >= 0 and (b.offset == a.offset + a.shape[0] or b.offset == 0)
                       for a, b in itertools.pairwise(feds)]  # fmt: skip
            imported = all(f.origin & t.DATA for f in feds) and len({f.made for f in feds}) == len(feds) > 5
            # halves of one class that take turns (real and fake) are no sorted data
            firsts = [f.counts[0][0] if f.counts else -1 for f in feds]
            turns = sum(a != b for a, b in itertools.pairwise(firsts))
            imported = imported and 3 * turns <= len(feds)
            moved = len({f.offset for f in feds}) > 1
            if (
                len(feds) < 3
                or any(f.content in known for f in feds)
                or not ((all(follows) and moved) or imported)
            ):
                continue
            stream = Stream(stack, feds[0].created, None, list(feds))
            if feds[0].column >= 0 and all(follows):
                stream.column = self.data.columns[feds[0].column]
            found.append(stream)
        return found
