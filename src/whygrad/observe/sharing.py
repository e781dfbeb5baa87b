"""How a data set is shared out among ranks: the passes over DataLoaders, and the samplers behind them."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset
from torch.utils.data.dataloader import _BaseDataLoaderIter

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.horizon import rounds
from whygrad.observe.patching import Patches
from whygrad.observe.recorder import Recorder

_READINGS = 60
_INDICES = 4096  #: of one pass


class _Reading:
    """A pass over a loader."""

    def __init__(
        self, loader: int, stack: int, step: int, rows: int, length: int, sampler: t.Sampler | None
    ) -> None:
        self.loader, self.stack, self.step, self.rows, self.length = loader, stack, step, rows, length
        self.sampler = sampler
        self.grad = torch.is_grad_enabled()
        self.iterator: weakref.ref[Any] | None = None
        self.chosen: list[int] = []
        self.batches = 0
        self.rounds = 0


class Sharing:
    """All passes, while the window is open and a while longer."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.readings: list[_Reading] = []
        self.told: dict[int, list[int]] = {}  #: set_epoch calls by the sampler's id
        self._made: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._lengths: dict[int, int] = {}
        self._loaders: dict[int, tuple[weakref.ref[Any], int]] = {}

    def install(self, patches: Patches) -> None:
        """Hear of loaders, samplers and epochs."""
        patches.around(DistributedSampler, "__init__", after=self._sampler_made)
        patches.around(DistributedSampler, "set_epoch", after=self._epoch_told)
        patches.around(DataLoader, "__init__", after=self._loader_made)
        patches.around(DataLoader, "__iter__", before=self._begins, after=self._began)
        patches.around(_BaseDataLoaderIter, "_next_index", after=self._chose)

    @guarded("the construction of a sampler", None)
    def _sampler_made(self, token: Any, result: Any, sampler: Any, *args: Any, **kwargs: Any) -> None:
        self._made[id(sampler)] = weakref.ref(sampler), self.recorder.stacks.here()
        self._lengths[id(sampler)] = _length(sampler.dataset)
        self.told.pop(id(sampler), None)

    @guarded("set_epoch", None)
    def _epoch_told(self, token: Any, result: Any, sampler: Any, *args: Any, **kwargs: Any) -> None:
        self.told.setdefault(id(sampler), []).append(self.recorder.stacks.here())

    @guarded("the construction of a DataLoader", None)
    def _loader_made(self, token: Any, result: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
        self._loaders[id(loader)] = weakref.ref(loader), self.recorder.stacks.here()

    @guarded("a pass over a DataLoader", None)
    def _begins(self, loader: Any) -> _Reading | None:
        if len(self.readings) >= _READINGS or self.recorder.own.paused:
            return None
        made = self._loaders.get(id(loader))
        own = _Reading(
            made[1] if made is not None and made[0]() is loader else -1,
            self.recorder.stacks.here(),
            self.recorder.step,
            _length(loader.dataset),
            -1 if issubclass(type(loader.dataset), IterableDataset) else _length(loader),
            self._sampler(loader),
        )
        own.rounds = rounds(self.recorder.stacks, sys._getframe(1)) if own.sampler is not None else 0
        self.readings.append(own)
        if loader._iterator is not None:  # workers that persist: the iterator is the same one
            own.iterator = weakref.ref(loader._iterator)
        return own

    @guarded("a pass over a DataLoader", None)
    def _began(self, token: Any, result: Any, loader: Any) -> None:
        if token is not None and issubclass(type(result), _BaseDataLoaderIter):
            token.iterator = weakref.ref(result)

    @guarded("the indices of a batch", None)
    def _chose(self, token: Any, result: Any, iterator: Any) -> None:
        own = next(
            (r for r in reversed(self.readings) if r.iterator is not None and r.iterator() is iterator), None
        )
        if own is None and self.readings and self.readings[-1].iterator is None:
            own = self.readings[-1]  # workers ask ahead, while the iterator is being made
        if own is None:
            return
        own.batches += 1
        indices = result if type(result) is list else [result]
        if len(own.chosen) < _INDICES and all(type(i) is int for i in indices):
            own.chosen += indices

    def _sampler(self, loader: Any) -> t.Sampler | None:
        """Whatever chooses the items of a loader and shares them out among ranks."""
        batches = loader.__dict__.get("batch_sampler")
        for sampler in (loader.__dict__.get("sampler"), batches, getattr(batches, "sampler", None)):
            own = getattr(sampler, "__dict__", {})
            if type(own.get("num_replicas")) is int and type(own.get("rank")) is int:
                made = self._made.get(id(sampler))
                numbers = [own.get(name) for name in ("seed", "epoch")]
                seed, epoch = (n if type(n) is int else -1 for n in numbers)
                return t.Sampler(
                    kind=type(sampler).__name__,
                    made=made[1] if made is not None and made[0]() is sampler else -1,
                    rows=_length(own.get("dataset", ())),
                    replicas=own["num_replicas"],
                    rank=own["rank"],
                    seed=seed,
                    epoch=epoch,
                    shuffle=bool(own.get("shuffle", False)),
                    set_epoch=len(self.told.get(id(sampler), ())),
                )
        return None

    def idle(self) -> tuple[tuple[int, int], ...]:
        """Where samplers were made that no pass has gone through, and how long their data set is."""
        used = {reading.sampler.made for reading in self.readings if reading.sampler is not None}
        made = [(stack, self._lengths.get(number, -1)) for number, (_, stack) in self._made.items()]
        return tuple([pair for pair in made if pair[0] not in used])

    def ahead(self) -> int:
        """Steps until the present pass of training over a sampler that shuffles and has never been told the epoch is over
        (0: there is none such, or two passes have begun)."""
        own = [r for r in self.readings if r.sampler is not None and r.grad]
        if not own or own[-1].length < 0 or sum(r.loader == own[-1].loader for r in own) > 1:
            return 0
        sampler = own[-1].sampler
        if sampler is None or not sampler.shuffle or sampler.set_epoch:
            return 0
        return own[-1].step + own[-1].length + 1

    def records(self, loops: Callable[[int], tuple[bool, tuple[int, ...]]]) -> tuple[t.Reading, ...]:
        """For the trace; ``loops`` reads the source around a place (``Source.loops``)."""
        return tuple([_record(reading, *loops(reading.stack)) for reading in self.readings])


def _record(reading: _Reading, whole: bool, loops: tuple[int, ...]) -> t.Reading:
    return t.Reading(
        loader=reading.loader,
        stack=reading.stack,
        step=reading.step,
        grad=reading.grad,
        rows=reading.rows,
        length=reading.length,
        batches=reading.batches,
        chosen=tuple(reading.chosen[:_INDICES]),
        sampler=reading.sampler,
        whole=whole,
        loops=loops,
        rounds=reading.rounds,
    )


def _length(thing: Any) -> int:
    try:
        return len(thing)
    except Exception:
        return -1
