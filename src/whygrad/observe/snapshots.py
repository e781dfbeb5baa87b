"""Snapshots of weights by ``state_dict()``: whether they are kept while the weights go on changing, and used then."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from whygrad import trace as t
from whygrad.observe.later_loads import loads_of
from whygrad.observe.loops import Loops
from whygrad.observe.quiet import Quiet

if TYPE_CHECKING:
    from whygrad.observe.observation import Observation

_DICTS = (dict, OrderedDict)
_TENSORS = (torch.Tensor, torch.nn.Parameter)
_SAMPLE = 3  #: parameters of a snapshot that are looked at again
_LOOKED = 60  #: tensors of a saved object that are looked at
_KEPT = 24  #: snapshots that are remembered


class Taken:
    """One snapshot. Nothing of it is kept alive."""

    def __init__(self, module: torch.nn.Module, result: Any, stack: int) -> None:
        self.module = weakref.ref(module)
        self.result = weakref.ref(result) if type(result) is OrderedDict else None
        self.stack = stack
        self.steps = 0
        self.saved = False
        self.tensors: list[weakref.ref[torch.Tensor]] = []
        self.pointers: list[int] = []
        self.params: list[int] = []
        self.uses: dict[tuple[str, int], t.Use] = {}
        #: Where it was loaded into its own module before anything had changed.
        self.unchanged: dict[int, None] = {}

    def alive(self) -> bool:
        """Whether something still holds it, or the tensors that it handed out."""
        held = self.result is not None and self.result() is not None
        return held or any(ref() is not None for ref in self.tensors)

    def used(self, how: str, stack: int) -> None:
        """It was used after its parameters had changed."""
        self.uses[how, stack] = t.Use(how, stack, self.steps)


class Snapshots:
    """Keeps them."""

    def __init__(self, seen: Observation) -> None:
        self.seen = seen
        self.recorder = seen.recorder
        self.taken: list[Taken] = []
        #: Modules whose own, present weights were loaded into them, and where.
        self.copied: dict[int, weakref.ref[torch.nn.Module]] = {}

    def took(self, module: torch.nn.Module, result: Any) -> None:
        """``module.state_dict()`` has returned."""
        if type(result) not in _DICTS or not (self.recorder.passes or self.recorder.steps or self._made()):
            return
        one = Taken(module, result, self.recorder.stacks.here())
        with Quiet():
            for tensor in result.values():
                entry = self.recorder.params.behind(tensor) if type(tensor) in _TENSORS else None
                if entry is None or entry.role != "parameter" or not entry.requires_grad:
                    continue
                if entry.ref() is not tensor:
                    one.tensors.append(weakref.ref(tensor))
                one.pointers.append(self.recorder.values.pointer(tensor))
                one.params.append(entry.index)
                if len(one.params) == _SAMPLE:
                    break
        if one.params:
            # of those that nothing seems to hold, a few of each place: what was made of them may share their memory
            same = [s for s in self.taken if s.stack == one.stack and not s.uses and not s.alive()]
            self.taken = [s for s in self.taken if s not in same[:-2]]
            if len(self.taken) < _KEPT:
                self.taken.append(one)

    def _made(self) -> bool:
        return bool(self.recorder.params.entries)

    def loading(self, module: torch.nn.Module, state: Any) -> None:
        """``module.load_state_dict(state)`` is about to run."""
        stack = self.recorder.stacks.here()
        with Quiet():
            given = self._pointers(_some(state))
            own = self._pointers(p for m in module.modules() for p in m._parameters.values() if p is not None)
        mine = bool(given & own)
        found = self._matching(_some(state), given)
        if mine and (found is None or not found.steps):
            self.copied[stack] = weakref.ref(module)
        if found is not None and found.steps:
            found.used("load" if mine else "load-other", stack)
        elif found is not None and mine:
            found.unchanged[stack] = None
        if not mine:
            for one in self.taken:
                one.steps += one.module() is module

    def saving(self, thing: Any) -> None:
        """``torch.save(thing, ...)`` is about to run."""
        tensors = list(_nested(thing))[:_LOOKED]
        kept = {id(x): x for x in tensors}
        for one in self.taken:
            if any((x := ref()) is not None and id(x) in kept for ref in one.tensors):
                if one.steps:
                    one.used("save", self.recorder.stacks.here())
                else:
                    one.saved = True

    def stepped(self) -> None:
        """An optimizer has stepped: its parameters are others now."""
        if not self.taken:
            return
        known = self.seen.optimizers.known[self.recorder.steps[-1].optimizer]
        held = {p for g in known.groups for p in g.params}
        for one in self.taken:
            one.steps += not held.isdisjoint(one.params)

    def _pointers(self, tensors: Iterable[Any]) -> set[int]:
        found = {self.recorder.values.pointer(x) for x in tensors if issubclass(type(x), torch.Tensor)}
        return found - {0}

    def _matching(self, tensors: list[Any], pointers: set[int]) -> Taken | None:
        """The snapshot that a state is: by the very tensors, or the newest that shares their memory."""
        ids = {id(x) for x in tensors}
        for one in reversed(self.taken):
            if any((x := ref()) is not None and id(x) in ids for ref in one.tensors):
                return one
        sharing = [s for s in self.taken if pointers.intersection(s.pointers)]
        # what was made of a snapshot is as old as any taken there: of a present one the very tensors would be found
        older = [s for s in sharing if s.steps and s.stack == sharing[-1].stack]
        newest = older or sharing
        return newest[-1] if newest else None

    def records(self) -> tuple[t.Snapshot, ...]:
        """Those that outlived a step."""
        stepped = next((s.stack for s in reversed(self.recorder.steps)), -1)
        loops = Loops(self.recorder.stacks)
        found = []
        for one in self.taken:
            kept = one.alive()
            if not one.steps or not (one.uses or kept):
                continue
            # loaded at the start of a loop that goes round the training: it will be loaded again, changed by then
            again = tuple(s for s in one.unchanged if loops.shared(s, stepped))
            later = (again or loads_of(self.recorder.stacks, one.stack)) if kept and not one.uses else ()
            found.append(
                t.Snapshot(
                    stack=one.stack,
                    steps=one.steps,
                    kept=kept,
                    saved=one.saved,
                    looped=bool(again) or loops.shared(one.stack, stepped),
                    uses=tuple(one.uses.values()),
                    later=later,
                    params=tuple(one.params),
                )
            )
        return tuple(found)


def _some(state: Any) -> list[Any]:
    """The first tensors of a state."""
    if type(state) not in _DICTS:
        return []
    return [v for v in list(state.values())[:_LOOKED] if type(v) in _TENSORS]


def _nested(thing: Any, depth: int = 4) -> Iterator[Any]:
    if type(thing) in _TENSORS:
        yield thing
    elif depth and type(thing) in (list, tuple, *_DICTS):
        for value in list(thing.values() if type(thing) in _DICTS else thing):
            yield from _nested(value, depth - 1)
