"""The statistics of a batch that BatchNorm layers normalise by: what they are on this rank."""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.stats import numbers

_CHANNELS = 8
_CALLS = 12  #: of a layer


class ChannelMeans:
    """Sums of them for the first channels of each layer."""

    def __init__(self) -> None:
        self._sums: dict[int, list[Any]] = {}

    def took(self, call: Call, module: int) -> None:
        """A layer was called; ``module`` is its number."""
        given = call.args[0] if call.args else None
        if call.argument(5, "training") is not True or module < 0 or type(given) is not torch.Tensor:
            return
        known = self._sums.setdefault(module, [0, 0, None, None])
        if known[0] >= _CALLS or given.dim() < 2:
            return
        first = given.detach()[:, :_CHANNELS].transpose(0, 1).flatten(1)
        variance, mean = torch.var_mean(first.float(), dim=1, correction=0)
        known[0] += 1
        known[1] = first.shape[1]
        known[2] = mean if known[2] is None else known[2] + mean
        known[3] = variance if known[3] is None else known[3] + variance

    def records(self) -> tuple[t.Channels, ...]:
        """Averages over the calls of each layer."""
        found = []
        for module, (calls, positions, means, variances) in self._sums.items():
            if calls:
                both = numbers([*means.unbind(), *variances.unbind()])
                half = len(both) // 2
                found.append(
                    t.Channels(
                        module,
                        calls,
                        positions,
                        tuple([n / calls for n in both[:half]]),
                        tuple([n / calls for n in both[half:]]),
                    )
                )
        return tuple(found)
