"""What a normalisation layer does to its running statistics, worked out from the statistics themselves.

They tell what a batch was like (new = (1 - momentum) * old + momentum * batch) at the cost of a few operations over the
channels; the activations are read only once, where no earlier statistics are known.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.stats import numbers

_MEASURED = 40  #: calls of a layer that are measured
_BEFORE = 400  #: and before the first backward pass
_TINY = 1e-12
_LEARNED = 1e-2  #: farther from 0 and 1 than that, running statistics are not those of a new layer

Pair = tuple[torch.Tensor, torch.Tensor]


class Statistics:
    """Those of one layer. The copies held here are as long as the layer has channels."""

    def __init__(self, made_with: float | None) -> None:
        self.made_with = made_with
        self.momentum: float | None = None
        self.calls = self.recorded = self.single = self.positions = self.frozen = 0
        self.frozen_since = self.frozen_until = -1
        self._buffers: tuple[weakref.ref[Any], int] | None = None
        self._after: Pair | None = None  #: the statistics after the last call
        self._batch: Pair | None = None  #: those of the last batch
        self._noise: list[torch.Tensor] = []
        self._spread: list[torch.Tensor] = []
        self._anchor: Pair | None = None  #: the statistics when the layer was found frozen
        self._moved: Pair | None = None
        self._tracked: torch.Tensor | None = None

    def saw(self, call: Call, module: Any, frozen: bool, recorded: bool, step: int, begun: bool) -> None:
        """A call in training mode. ``frozen``: its parameters get no gradient by it. ``begun``: some backward has run;
        what happened before the last call before that was no training, and the statistics are looked at anew."""
        data, mean, var = call.args[0], call.args[1], call.args[2]
        weight = float(call.args[6] if len(call.args) > 6 else call.kwargs.get("momentum", 0.1))
        own = weight if module is None else module.__dict__.get("momentum", weight)
        self.momentum = None if own is None else weight
        self.calls += 1
        self.recorded += recorded
        self.single += recorded and data.shape[0] == 1
        self.positions = data.numel() // max(1, data.shape[1])
        count = None if module is None else module._buffers.get("num_batches_tracked")
        if not begun:
            self.frozen = 0
        again = frozen and (self.frozen < _MEASURED if begun else self.calls < _BEFORE)
        if self.calls <= _MEASURED or again:
            self._measure(data, mean, var, weight, count, frozen)
        if frozen:
            self.frozen_since = step if not self.frozen else self.frozen_since
            self.frozen += 1
            self.frozen_until = step
        else:
            self.frozen, self._anchor, self._moved = 0, None, None

    def _measure(
        self,
        data: torch.Tensor,
        mean: torch.Tensor,
        var: torch.Tensor,
        weight: float,
        count: Any,
        frozen: bool,
    ) -> None:
        if not 0 < weight <= 1:
            return
        version = -1 if count is None else count._version
        known = self._buffers is not None and self._buffers[0]() is mean
        current = known and (version < 0 or version == self._buffers[1] + 1)  # type: ignore[index]
        before = self._after if current else None
        self._after = mean.detach().float().clone(), var.detach().float().clone()
        self._buffers = weakref.ref(mean), version
        if before is not None:
            batch = _unmixed(before, self._after, weight)
            if self._batch is not None:
                scale = (batch[1] + self._batch[1]).sum().clamp_min(_TINY)
                self._noise.append((batch[0] - self._batch[0]).square().sum() / scale)
                ratio = batch[1].clamp_min(_TINY).log() - self._batch[1].clamp_min(_TINY).log()
                self._spread.append((ratio.square() / 2).median())
            self._batch = batch
        else:
            self._batch = None
        if frozen and not self.frozen:
            self._anchor = before or _before(data, self._after, weight)
            self._tracked = None if count is None else count.detach().clone()
        if frozen:
            self._moved = self._after

    def facts(self, changed: int) -> t.Statistics:
        """The numbers, read from the device now."""
        noise = _root_mean(self._noise)
        spread = _root_mean(self._spread)
        learned, drift, scaling = False, None, None
        if self._anchor is not None and self._moved is not None:
            (mean, var), (new, other) = self._anchor, self._moved
            scale = var.clamp_min(_TINY)
            scalars = [
                ((new - mean).square().sum() / scale.sum()).sqrt(),
                (other.clamp_min(_TINY).log() - scale.log()).abs().median(),
                mean.abs().max(),
                scale.log().abs().max(),
            ]
            drift, scaling, far, wide = numbers(scalars)
            tracked = 1 if self._tracked is None else int(self._tracked)
            learned = tracked > 1 or max(far, wide) > _LEARNED
        return t.Statistics(
            self.momentum,
            self.made_with,
            changed,
            self.calls,
            self.recorded,
            self.single,
            self.positions,
            noise,
            spread,
            self.frozen,
            self.frozen_since,
            self.frozen_until,
            learned,
            drift,
            scaling,
        )


def misfit(data: torch.Tensor, mean: torch.Tensor, var: torch.Tensor) -> torch.Tensor | None:
    """How far running statistics are from those of a batch that they are applied to: in standard deviations, or as the
    logarithm of the ratio of variances, whichever is more."""
    if data.dim() < 2 or data.numel() <= data.shape[1]:
        return None
    other, own = torch.var_mean(data.detach().float(), dim=[d for d in range(data.dim()) if d != 1])
    scale = var.detach().float().clamp_min(_TINY)
    far = ((own - mean.float()).square().sum() / torch.maximum(scale, other).sum()).sqrt()
    wide = (other.clamp_min(_TINY).log() - scale.log()).abs().median()
    return torch.maximum(far, wide)


def _root_mean(squares: list[torch.Tensor]) -> float | None:
    found = numbers(squares)
    return float((sum(found) / len(found)) ** 0.5) if found else None


def _unmixed(before: Pair, after: Pair, weight: float) -> Pair:
    """The statistics of the batch that made one of the other."""
    return (
        (after[0] - (1 - weight) * before[0]) / weight,
        (after[1] - (1 - weight) * before[1]) / weight,
    )


def _before(data: torch.Tensor, after: Pair, weight: float) -> Pair | None:
    """The statistics before a batch, which is looked at itself."""
    if weight >= 1 or data.dim() < 2:
        return None
    var, mean = torch.var_mean(data.detach().float(), dim=[d for d in range(data.dim()) if d != 1])
    return (after[0] - weight * mean) / (1 - weight), ((after[1] - weight * var) / (1 - weight)).clamp_min(0)
