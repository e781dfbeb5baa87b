"""Every DataLoader gives its first batch again and again, for as long as it would have given batches.

The first batch is the very one that the script would have got. Later ones are copies of what it was then, so that
what the script does to a batch in place does not add up.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder

_NOTHING = object()
_DEEP = 8


class Pin:
    """The first batch of one loader. ``site``: where that loader was iterated."""

    def __init__(self, loader: Any, site: int) -> None:
        self.loader = weakref.ref(loader)
        self.dataset = _reference(loader.dataset)
        self.size = loader.batch_size
        self.site = site
        self.batch: Any = _NOTHING

    def stands_for(self, loader: Any, site: int) -> bool:
        """Whether ``loader`` is this one, or takes its place: scripts make a new one for every epoch."""
        own = self.loader()
        if own is not None:
            return own is loader
        same = self.dataset is not None and self.dataset() is loader.dataset
        return self.size == loader.batch_size and (same or self.site == site >= 0)


class Loaders:
    """Replaces ``DataLoader.__iter__``. ``given`` counts the batches handed out to train on."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.given = 0
        self.pins: list[Pin] = []

    def install(self, patches: Patches) -> None:
        """Begin; ``patches`` takes it back."""
        patches.set(DataLoader, "__iter__", self._iter(DataLoader.__iter__, patches))

    def _iter(self, original: Callable[[Any], Iterator[Any]], patches: Patches) -> Callable[[Any], Any]:
        def __iter__(loader: Any) -> Any:  # noqa: N807
            pin = self.pin(loader) if patches.active else None
            return original(loader) if pin is None else Repeats(self, loader, pin, original)

        return __iter__

    @guarded("a DataLoader", None)
    def pin(self, loader: Any) -> Pin:
        """The loader's pin, made if it has none."""
        site = self.recorder.stacks.here()
        found = next((p for p in self.pins if p.stands_for(loader, site)), None)
        if found is None:
            found = Pin(loader, site)
            self.pins.append(found)
        found.loader = weakref.ref(loader)
        return found


class Repeats:
    """What iterating a loader gives now. The real iterator is made at once, as it would have been, where it is needed:
    for the first batch, and all along where only it knows when the end comes."""

    def __init__(
        self, loaders: Loaders, loader: Any, pin: Pin, original: Callable[[Any], Iterator[Any]]
    ) -> None:
        self._loaders, self._pin = loaders, pin
        self._length = _length(loader)
        self._left = self._length
        needed = self._left is None or self._pin.batch is _NOTHING
        self._real = original(loader) if needed else None

    def __iter__(self) -> Repeats:
        return self

    def __len__(self) -> int:
        if self._length is None:
            raise TypeError("this DataLoader has no length")
        return self._length

    def __next__(self) -> Any:
        fresh = self._take()
        self._loaders.given += torch.is_grad_enabled()  # without it, it is for an evaluation
        pin = self._pin
        if pin.batch is _NOTHING:
            pin.batch = copied(fresh)
            return fresh
        return copied(pin.batch)

    def _take(self) -> Any:
        """The real next batch where it is asked for; raises StopIteration where there would be no more."""
        if self._left is not None:
            if self._left <= 0:
                raise StopIteration
            self._left -= 1
            if self._pin.batch is not _NOTHING:
                self._real = None  # its workers may go
                return None
        assert self._real is not None
        fresh = next(self._real)
        if self._left is not None:
            self._real = None
        return fresh


def _length(loader: Any) -> int | None:
    """How many batches a loader will give; None where only its end tells (or a subclass counts in its own way)."""
    own = type(loader).__len__ is DataLoader.__len__
    if not own or isinstance(loader.dataset, IterableDataset):
        return None
    try:
        return len(loader)
    except Exception:
        return None  # a sampler without a length


def _reference(thing: Any) -> Callable[[], Any] | None:
    try:
        return weakref.ref(thing)
    except TypeError:
        return None  # a list, say


def copied(batch: Any) -> Any:
    """A copy of a batch that shares no memory with it, as far as its structure is understood."""
    with Quiet():
        return _copy(batch, _DEEP)


def _copy(value: Any, depth: int) -> Any:
    if isinstance(value, (str, bytes, int, float, bool, type(None))) or depth == 0:
        return value
    try:
        if isinstance(value, torch.Tensor):
            return value.detach().clone().requires_grad_(value.requires_grad)
        if isinstance(value, tuple):
            items = [_copy(v, depth - 1) for v in value]
            named = getattr(type(value), "_make", None)
            return named(items) if named is not None else type(value)(items)
        if isinstance(value, list):
            return type(value)([_copy(v, depth - 1) for v in value])
        if isinstance(value, Mapping):
            same: Any = copy.copy(value)
            for key in value:
                same[key] = _copy(value[key], depth - 1)
            return same
        clone = getattr(value, "clone", None)
        return clone() if callable(clone) else copy.copy(value)
    except Exception:
        return value  # it is handed out again as it is
