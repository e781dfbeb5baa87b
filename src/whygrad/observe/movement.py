"""How far the parameters go between two moments of a run."""

from __future__ import annotations

import weakref

import torch

from whygrad import trace as t
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder
from whygrad.observe.stats import norm_of, numbers, plain

_BYTES = 2**30  #: parameters beyond this are not copied, and how far they go is not told


class Movement:
    """Copies the parameters at the beginning, and compares them at the end. ``moved`` is the result."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.moved: tuple[t.Moved, ...] = ()
        self._first: list[tuple[int, weakref.ref[torch.Tensor], torch.Tensor]] = []

    def begin(self) -> None:
        """Copy every parameter that can train."""
        left = _BYTES
        with Quiet():
            for entry in self.recorder.params.entries:
                tensor = entry.ref()
                if tensor is None or entry.role != "parameter" or not tensor.requires_grad:
                    continue
                data = plain(tensor)
                left -= 0 if data is None else data.numel() * data.element_size()
                if data is not None and left > 0:
                    self._first.append((entry.index, weakref.ref(tensor), data.clone()))

    def end(self) -> None:
        """Compare those that are still there, and let go of the copies."""
        with Quiet():
            live = [(i, tensor, first) for i, ref, first in self._first if (tensor := ref()) is not None]
            pairs = [(i, data, first) for i, tensor, first in live if (data := plain(tensor)) is not None]
            same = [(i, data, first) for i, data, first in pairs if data.shape == first.shape]
            seen = numbers([norm_of(x) for _, data, first in same for x in (data - first.to(data), first)])
        self.moved = tuple(t.Moved(i, seen[2 * n], seen[2 * n + 1]) for n, (i, _, _) in enumerate(same))
        self._first = []
