"""One of several processes that train together: what it shares with the others, and what only a comparison can tell.

Nothing at all is noted where torch.distributed is not initialised; nothing is ever sent to another rank from here.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch
import torch.distributed as dist

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.channels import ChannelMeans
from whygrad.observe.collectives import Collectives
from whygrad.observe.fed import INPUTS
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.running import tree
from whygrad.observe.saying import Source
from whygrad.observe.sharing import Sharing
from whygrad.observe.sketching import moment
from whygrad.observe.stats import capturing, gradient_of, numbers, part_of, plain, several_ranks
from whygrad.observe.watcher import Watcher
from whygrad.observe.wrapping import Wrappers

_FAR = 300  #: steps for which a script is followed until its second epoch begins
_ADDED = 400
_STEPS = 60  #: steps whose gradients are looked at


def _unread(stack: int) -> tuple[bool, tuple[int, ...]]:
    """What the source says of the loops around a place, before it was read."""
    return False, ()


class Watch(Watcher):
    """Keeps what ``trace.ranks`` describes."""

    names = INPUTS

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self.where: tuple[int, int, str] | None = None
        self._used: list[tuple[int, list[int], list[torch.Tensor]]] = []
        self._first: t.Moment | None = None
        self._last: t.Moment | None = None
        self._sharded: set[int] = set()
        self._tensor_parallel = False
        self._source: Source | None = None
        self._added: list[tuple[weakref.ref[Any], int]] = []
        self._loaded: list[tuple[weakref.ref[Any], int]] = []
        self._at_the_end: tuple[tuple[tuple[int, int], ...], ...] = ()

    def install(self, patches: Patches) -> None:
        """Hear of wrappers, collectives, loaders and samplers."""
        if not dist.is_available():
            self.wrappers: Wrappers | None = None
            return
        self.wrappers = Wrappers(self.recorder)
        self.collectives, self.sharing = Collectives(self.recorder), Sharing(self.recorder)
        self.channels = ChannelMeans()
        patches.around(torch.optim.Optimizer, "add_param_group", after=self._group_added)
        patches.around(torch.optim.Optimizer, "load_state_dict", after=self._state_loaded)
        for part in (self.wrappers, self.collectives, self.sharing):
            part.install(patches)

    @guarded("a parameter group", None)
    def _group_added(self, token: Any, result: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        if len(self._added) < _ADDED:
            self._added.append((weakref.ref(optimizer), self.recorder.stacks.here()))

    @guarded("the state of an optimizer", None)
    def _state_loaded(self, token: Any, result: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        if len(self._loaded) < _ADDED:
            self._loaded.append((weakref.ref(optimizer), self.recorder.stacks.here()))

    def _places(self, noted: list[tuple[weakref.ref[Any], int]]) -> tuple[tuple[int, int], ...]:
        """Optimizers and places, without those of the construction itself."""
        known = {id(o): k for k in self.seen.optimizers.known if (o := k.ref()) is not None}
        pairs = [(known.get(id(o)), stack) for ref, stack in noted if (o := ref()) is not None]
        return tuple([(k.index, stack) for k, stack in pairs if k is not None and stack != k.created])

    def _here(self) -> bool:
        """Whether this is one of several processes; noted while their group is there."""
        if self.where is None and self.wrappers is not None and several_ranks():
            self.where = dist.get_rank(), dist.get_world_size(), dist.get_backend()
        return self.where is not None

    def called(self, call: Call) -> None:
        """An operation has met parameters."""
        if self.wrappers is None or not self._here():
            return
        self.wrappers.called(call)
        if call.function.name == "batch_norm" and call.op >= 0:
            with Quiet():
                self.channels.took(call, self.recorder.ops[call.op].module)

    def before_backward(self, losses: list[torch.Tensor]) -> None:
        """The first look."""
        if not self._here() or self._first is not None or capturing():
            return
        with Quiet():
            self._shards()
            self._first = moment(self.recorder, self._held())

    def after_backward(self) -> None:
        """What wrappers knew of the pass."""
        if self._here() and self.wrappers is not None and self.recorder.backwards:
            self.wrappers.backward(self.recorder.backwards[-1].reached)

    def after_step(self) -> None:
        """The gradients are still what the optimizer used."""
        recorder = self.recorder
        if (
            not self._here()
            or recorder.light
            or not recorder.steps
            or len(self._used) >= _STEPS
            or capturing()
        ):
            return
        step = recorder.steps[-1]
        params, parts = [], []
        with Quiet():
            for row in step.params:
                tensor = recorder.params.entries[row.param].ref()
                gradient = None if tensor is None or row.grad is None else gradient_of(tensor)
                data = None if gradient is None or row.param in self._sharded else plain(gradient)
                if data is not None:
                    params.append(row.param)
                    parts.append(part_of(data))
        self._used.append((step.tick, params, parts))

    def window_ends(self) -> None:
        """The last look."""
        if not self._here() or self.wrappers is None or capturing():
            return
        with Quiet():
            self._shards()
            self._last = moment(self.recorder, self._held())
            self.wrappers.remove()
        self._at_the_end = self._places(self._added), self._places(self._loaded)
        # only now, for it takes long; the places that are read still get into the trace
        self._source = Source(self.recorder.stacks)
        self.facts()

    def expects(self) -> int:
        """A sampler that has not been told the epoch: does the second one go through the data as the first did?"""
        if self.where is None:
            return 0
        until = self.sharing.ahead()
        return until if until <= self.recorder.step + _FAR else 0

    # -- facts ---------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """All of it."""
        if self.where is None or self.wrappers is None:
            return {}
        calls, source = self.collectives.records(), self._source
        rank, world, backend = self.where
        added, loaded = self._at_the_end or (self._places(self._added), self._places(self._loaded))
        return {
            "distributed": t.Distributed(
                rank=rank,
                world=world,
                backend=backend,
                wrappers=self.wrappers.records(
                    () if source is None else source.flags(), self.collectives.joined
                ),
                collectives=calls,
                calls=self.collectives.calls,
                readings=self.sharing.records(_unread if source is None else source.loops),
                used=self._gradients(),
                first=self._first,
                last=self._last,
                sharded=tuple(sorted(self._sharded)),
                tensor_parallel=self._tensor_parallel,
                channels=self.channels.records(),
                said=t.Said() if source is None else source.said(self._ran(calls)),
                averaging=source is not None and source.averages(),
                added=added,
                loaded=loaded,
                idle_samplers=self.sharing.idle(),
            )
        }

    def _ran(self, calls: tuple[t.Collective, ...]) -> set[tuple[str, int]]:
        """Files and lines of the collectives that were seen."""
        stacks = self.recorder.stacks
        places = [stacks.place_of(f) for call in calls if call.stack >= 0 for f in stacks.stacks[call.stack]]
        return {(code.co_filename, line) for code, line in places}

    def _gradients(self) -> tuple[t.Used, ...]:
        with Quiet():
            flat = numbers([part for _, _, parts in self._used for part in parts])
        found = []
        for tick, params, _ in self._used:
            found.append(t.Used(tick, tuple(params), tuple(float(n) for n in flat[: len(params)])))
            flat = flat[len(params) :]
        return tuple(found)

    def _held(self) -> set[int]:
        """Parameters that an optimizer or a wrapper has, and of which no rank has a part only."""
        known = self.seen.optimizers.known
        held = {p for k in known for g in k.groups for p in g.params}
        if self.wrappers is not None:
            held |= {p for one in self.wrappers.all for p in one.params}
        return held - self._sharded

    def _shards(self) -> None:
        """Parameters of FSDP, and of a device mesh."""
        params = self.recorder.params
        for entry in params.entries:
            tensor = entry.ref()
            kind = type(tensor)
            if tensor is None or not kind.__module__.startswith("torch.distributed"):
                continue
            placements = getattr(tensor, "placements", None)
            if placements is None or not all(p.is_replicate() for p in placements):
                self._sharded.add(entry.index)
        fully = [m for p in self.seen.modules.placed if (m := p.ref()) is not None and _is_fsdp(m)]
        below = {id(x) for m in fully for part in tree(m) for x in part._parameters.values() if x is not None}
        for entry in params.entries:
            tensor = entry.ref()
            if tensor is not None and id(tensor) in below and not hasattr(tensor, "placements"):
                self._sharded.add(entry.index)
        mesh = [e.ref() for e in params.entries if e.index in self._sharded]
        self._tensor_parallel = any(
            hasattr(x, "placements") and id(x) not in below for x in mesh if x is not None
        )


def _is_fsdp(module: Any) -> bool:
    """Whether FSDP (of either generation) has a module: its classes are not loaded before a script does."""
    return any(c.__name__ in ("FullyShardedDataParallel", "FSDPModule") for c in type(module).__mro__)
