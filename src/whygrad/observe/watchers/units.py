"""Hidden units behind activations: which share of them is flat for the whole batch, pass by pass."""

from __future__ import annotations

import math
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.call import Call
from whygrad.observe.quiet import Quiet
from whygrad.observe.stats import capturing, numbers, plain
from whygrad.observe.watcher import Watcher

_CUT = {"relu", "relu_", "relu6", "threshold", "threshold_", "clamp", "clamp_", "clamp_min"}
_BOUND = {"sigmoid", "sigmoid_", "tanh", "tanh_", "hardtanh", "hardsigmoid"}
_FLAT = {"sigmoid": 0.005, "tanh": 0.01, "hardtanh": 0.0, "hardsigmoid": 0.0}  #: distance from the bound
_MIXED = {
    "conv1d",
    "conv2d",
    "conv3d",
    "batch_norm",
    "instance_norm",
    "group_norm",
    "conv_transpose1d",
    "max_pool1d",
}
_PASSES = 12
_MOST = 2**26  #: elements of a result that is looked at
_BACK = 3  #: operations looked back for what says where the channels are


class _Place:
    """One activation in the model."""

    def __init__(self, name: str, units: int, samples: int) -> None:
        self.name, self.units, self.samples = name, units, samples
        self.passes: list[int] = []
        self.ops: list[int] = []
        self.flat: list[torch.Tensor] = []


class Watch(Watcher):
    """Counts them at the first call of each activation in a pass."""

    names = frozenset(_CUT | _BOUND)

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._places: dict[tuple[int, int, int], _Place] = {}
        self._calls: dict[tuple[int, int], int] = {}
        self._read: tuple[t.Activity, ...] = ()

    def after_backward(self) -> None:
        """The next pass begins: its calls are counted anew."""
        self._calls.clear()

    def called(self, call: Call) -> None:
        """An activation."""
        if call.op < 0 or not torch.is_grad_enabled() or len(self.recorder.backwards) >= _PASSES:
            return
        op = self.recorder.ops[call.op]
        number = self._calls[(op.kind, op.module)] = self._calls.get((op.kind, op.module), -1) + 1
        result = call.result
        if not isinstance(result, torch.Tensor) or result.ndim < 2 or not result.requires_grad or capturing():
            return
        with Quiet():
            data = plain(result)
            if data is None or data.ndim < 2 or data.numel() > _MOST:
                return
            dim = self._units(call, data)
            units = data.shape[dim]
            flat = _flat(call, data, dim)
        if flat is None:
            return
        samples = data.numel() // units
        own = self._places.setdefault(
            (op.kind, op.module, number), _Place(call.function.name, units, samples)
        )
        if own.units == units:
            own.samples = min(own.samples, samples)
            own.passes.append(len(self.recorder.backwards))
            own.ops.append(call.op)
            own.flat.append(flat)

    def _units(self, call: Call, data: torch.Tensor) -> int:
        """The dimension of the units: the channels of images and sequences that convolutions see, the last one otherwise."""
        if data.ndim > 3:
            return 1
        if data.ndim == 3:
            recorder, op = self.recorder, call.op
            for _ in range(_BACK):
                ins = recorder.ops[op].ins
                op = recorder.values.records[ins[0]].op if ins else -1
                if op < 0:
                    break
                name = recorder.kinds[recorder.ops[op].kind].name
                if name in _MIXED:
                    return 1
        return data.ndim - 1

    def window_ends(self) -> None:
        """Read the numbers."""
        found = []
        with Quiet():
            shares = iter(numbers([s for own in self._places.values() for s in own.flat]))
        for (kind, module, number), own in self._places.items():
            flat = tuple([float(next(shares)) for _ in own.flat])
            place = (kind, 1000 * (module + 1) + number)
            found.append(
                t.Activity(own.name, place, own.units, own.samples, tuple(own.passes), tuple(own.ops), flat)
            )
        self._read = tuple(found)

    def facts(self) -> dict[str, Any]:
        """The shares, place by place."""
        return {"activities": self._read}


def _flat(call: Call, data: torch.Tensor, dim: int) -> torch.Tensor | None:
    """The share of the units that are flat for every sample."""
    name = call.function.name.rstrip("_")
    others = [d for d in range(data.ndim) if d != dim]
    if name in ("relu", "relu6"):
        return (data.amax(others) <= 0).float().mean()
    if name in ("threshold", "clamp", "clamp_min"):
        return (data.amax(others) <= 0).float().mean() if _from_zero(call) else None
    low, high = (0.0, 1.0) if "sigmoid" in name else (-1.0, 1.0)
    room = torch.minimum(data - low, high - data).amax(others)
    return (room <= _FLAT[name]).float().mean()


def _from_zero(call: Call) -> bool:
    """Whether a clamp is a ReLU: from 0 upwards, without a bound above."""
    low = call.argument(1, "min")
    high = call.argument(2, "max")
    return (
        type(low) in (int, float)
        and low == 0
        and (high is None or (type(high) is float and math.isinf(high)))
    )
