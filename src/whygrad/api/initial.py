"""The values of a parameter as numbers: what an initialisation left."""

from __future__ import annotations

import math

import msgspec
import torch


class Initial(msgspec.Struct, frozen=True):
    """``mean``, ``std`` (population), greatest absolute value ``peak`` and share of exact ``zeros`` of a tensor.
    ``rows_alike``: it has several rows and all are equal. ``fan_in``: inputs of one output unit (0: no matrix)."""

    mean: float
    std: float
    peak: float
    zeros: float
    rows_alike: bool
    fan_in: int

    @property
    def scale(self) -> float | None:
        """``std`` times the square root of ``fan_in``: between 0.58 and 1.41 for torch's own initialisations of linear
        layers and convolutions (uniform with bound 1/sqrt(fan_in), Kaiming for ReLU). None where there is no fan-in."""
        return self.std * math.sqrt(self.fan_in) if self.fan_in else None


def initial(tensor: torch.Tensor) -> Initial:
    """Measure ``tensor`` (any shape and floating-point type, any device)."""
    data = tensor.detach()
    if data.numel() == 0:
        return Initial(0.0, 0.0, 0.0, 0.0, False, 0)
    numbers = data.float() if data.dtype.itemsize < 4 else data
    numbers = numbers.abs() if numbers.is_complex() else numbers
    rows = numbers.reshape(len(numbers), -1) if numbers.dim() > 1 else None
    alike = rows is not None and len(rows) > 1 and rows.shape[1] > 1 and bool((rows == rows[:1]).all())
    return Initial(
        mean=float(numbers.mean()),
        std=float(numbers.std(correction=0)),
        peak=float(numbers.abs().max()),
        zeros=float((numbers == 0).float().mean()),
        rows_alike=alike,
        fan_in=rows.shape[1] if rows is not None else 0,
    )
