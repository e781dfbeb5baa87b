"""Numbers that tell whether two batches, or two rows of one, are the same; read from the device only at the end.

A digest keeps nothing of the contents. It is worked out from the values rather than the bits where a tensor is small,
so that ``y`` and ``y.float().view(-1, 1)`` are known to be the same.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import torch

_LIMIT = 2**17  #: elements of a tensor that are looked at
_ROWS = 4096
KEPT = 256  #: rows whose digests are kept, for a comparison of several ranks
_SMALL = 2**16
_MIX, _MIX2 = 0x1E3779B97F4A7C15, 0x3F58476D1CE4E5B9
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_PLAIN_DISPATCH = torch.Tensor.__torch_dispatch__


def measurable(tensor: torch.Tensor) -> bool:
    """Whether a tensor has plain strided numbers."""
    plain = (
        type(tensor).__torch_dispatch__ is _PLAIN_DISPATCH and not tensor.is_meta and not tensor.is_quantized
    )
    return plain and tensor.layout is torch.strided and not tensor.is_nested and tensor.numel() > 0


def _scramble(bits: torch.Tensor) -> torch.Tensor:
    bits = (bits ^ (bits >> 32)) * _MIX
    return (bits ^ (bits >> 29)) * _MIX2


def row_digests(tensor: torch.Tensor) -> torch.Tensor:
    """One number a row (the first dimension), on the tensor's device. Rows beyond the first thousands are left out."""
    data = tensor.detach()
    data = torch.view_as_real(data.resolve_conj()) if data.is_complex() else data
    data = data[:_ROWS] if data.dim() else data.reshape(1)
    flat = data.reshape(data.shape[0], -1)
    if tensor.numel() <= _SMALL:
        bits = flat.to(torch.float64).view(torch.int64)
    else:
        step = max(1, -(-flat.numel() // _LIMIT))
        flat = flat[:, ::step].contiguous()
        bits = (flat.to(torch.uint8) if flat.dtype is torch.bool else flat).view(_BITS[flat.element_size()])
    # 0.0 and -0.0 differ here: nothing depends on it
    mixed = _scramble(bits.to(torch.int64))
    weights = _scramble(torch.arange(1, mixed.shape[1] + 1, device=mixed.device)) | 1
    return (mixed * weights).sum(1)


class Look:
    """One look at a tensor. ``settle`` reads the numbers; before that nothing waits for a device."""

    __slots__ = (
        "_rows",
        "_scalars",
        "changes",
        "content",
        "counts",
        "distinct",
        "mean",
        "rising",
        "rows",
        "spread",
        "varied",
    )

    def __init__(self, tensor: torch.Tensor, target: bool = False) -> None:
        self._rows: torch.Tensor | None = row_digests(tensor)
        self._scalars = _scalars(tensor) if target else None
        few = tensor.detach().reshape(-1)[:256].to(torch.float32)
        self.varied: Any = few.unique() if few.is_cpu else None
        self.content = self.distinct = -1
        self.changes = self.rising = 0
        self.mean = self.spread = 0.0
        self.rows: tuple[int, ...] = ()
        self.counts: tuple[tuple[int, int], ...] = ()

    def settle(self, known: Known) -> Look:
        """Read the numbers, once."""
        if self._rows is None:
            return self
        rows: list[int] = self._rows.tolist()
        self.rows = tuple(rows[:KEPT])
        seen = Counter(rows)
        self.content = known.content(hash(tuple(rows)))
        self.distinct = len(seen)
        self.varied = self.varied is not None and len(self.varied) >= 8
        if self._scalars is not None:
            self.changes = sum(a != b for a, b in itertools.pairwise(rows))
            self.counts = (
                tuple((known.value(r), n) for r, n in seen.most_common(64)) if len(seen) <= 64 else ()
            )
            up, down, self.mean, self.spread = self._scalars.tolist()
            self.rising = int(up) - int(down) if len(seen) > 1 else 0
        self._rows = self._scalars = None
        return self


class Known:
    """Small numbers for what was seen, in order of appearance."""

    def __init__(self) -> None:
        self._contents: dict[int, int] = {}
        self._values: dict[int, int] = {}

    def content(self, digest: int) -> int:
        """The number of a whole tensor."""
        return self._contents.setdefault(digest, len(self._contents))

    def value(self, digest: int) -> int:
        """The number of a row."""
        return self._values.setdefault(digest, len(self._values))


def _scalars(tensor: torch.Tensor) -> torch.Tensor:
    """Whether single numbers are sorted (upwards, downwards), their mean and deviation; zeros for rows of several."""
    data = tensor.detach()
    flat = data.reshape(data.shape[0], -1) if data.dim() else data.reshape(1, 1)
    if flat.shape[1] != 1 or flat.shape[0] < 2:
        return torch.zeros(4, dtype=torch.float64)
    column = flat[:, 0].to(torch.float64)
    steps = column[1:] - column[:-1]
    up, down = (steps >= 0).all(), (steps <= 0).all()
    return torch.stack([up.to(torch.float64), down.to(torch.float64), column.mean(), column.std()])
