"""Gradients that were there already when a backward pass began: what it adds to."""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.quiet import Quiet
from whygrad.observe.stats import capturing, gradient_of, norm_of, numbers, plain
from whygrad.observe.watcher import Watcher


class Watch(Watcher):
    """Measures every ``.grad`` before a pass. Most loops clear by setting to None: then there is nothing to measure."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._open: list[tuple[int, list[int], list[torch.Tensor]]] = []
        self._found: list[t.Carried] = []

    def before_backward(self, losses: list[torch.Tensor]) -> None:
        """The norms stay on their device until the report is made."""
        if capturing():
            return
        with Quiet():
            params, norms = list[int](), list[torch.Tensor]()
            for entry in self.recorder.params.entries:
                tensor = entry.ref()
                gradient = None if tensor is None else gradient_of(tensor)
                data = None if gradient is None else plain(gradient)
                if data is not None:
                    params.append(entry.index)
                    norms.append(norm_of(data))
        if params:
            self._open.append((self.recorder.tick + 1, params, norms))

    def facts(self) -> dict[str, Any]:
        """One record for each pass that found any gradient other than zero."""
        with Quiet():
            for tick, params, norms in self._open:
                left = [(p, n) for p, n in zip(params, numbers(norms), strict=True) if n != 0]
                if left:
                    self._found.append(t.Carried(tick, tuple(p for p, _ in left), tuple(n for _, n in left)))
        self._open.clear()
        return {"carried": tuple(self._found)}
