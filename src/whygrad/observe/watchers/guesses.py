"""The loss that a guess would have, beside the first value of each loss function."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.levels import level
from whygrad.observe.quiet import Quiet
from whygrad.observe.stats import capturing
from whygrad.observe.watcher import Watcher

_LOSSES = (
    "cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
    "smooth_l1_loss", "huber_loss",
)  # fmt: skip


class Watch(Watcher):
    """One look at each place, before the first backward pass."""

    names = frozenset(_LOSSES)

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._levels: dict[tuple[int, int], t.Level] = {}

    def called(self, call: Call) -> None:
        """A loss function of torch's."""
        if call.op < 0 or self.recorder.backwards or capturing():
            return
        op, target = self.recorder.ops[call.op], call.argument(1, "target")
        place = (op.kind, op.module)
        if place in self._levels or not isinstance(target, torch.Tensor) or target.requires_grad:
            return
        with Quiet():
            own = level(getattr(functional, call.function.name), call.args, call.kwargs)
            value = float(call.result.detach().mean())
        if own is not None:
            guess = max(own.guess, own.uniform or 0.0)
            self._levels[place] = t.Level(call.op, call.function.name, guess, value)

    def facts(self) -> dict[str, Any]:
        """The levels, place by place."""
        return {"levels": tuple(self._levels.values())}
