"""Weights whose rows (or columns) are all alike, and modules that are copies of each other, at the first and the last look."""

from __future__ import annotations

import math
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.quiet import Quiet
from whygrad.observe.stats import capturing, numbers, plain
from whygrad.observe.watcher import Watcher

_LEAST = 1e-6  #: of the greatest element: a difference that is none
_SHARE = 1e-3  #: of the way that the slices went: a difference that is none after training
_MOST = 2**26  #: elements of a parameter beyond which it is not looked at
_FEW = 4  #: different slices at first: as many as a recurrent layer has gates


class _Seen:
    """One parameter along one dimension: a number for each slice, as it was at first."""

    def __init__(
        self, index: int, dim: int, before: torch.Tensor, first: torch.Tensor, constant: torch.Tensor
    ) -> None:
        self.index, self.dim, self.before, self.first, self.constant = index, dim, before, first, constant


class Watch(Watcher):
    """One look before the first backward pass, a second one at the end at those that were alike."""

    def __init__(self, seen: Any) -> None:
        super().__init__(seen)
        self._seen: list[_Seen] = []
        self._looked = False
        self._rows: tuple[t.Rows, ...] = ()
        self._twins: tuple[t.Twins, ...] = ()

    def before_backward(self, losses: list[torch.Tensor]) -> None:
        """The first look."""
        if self._looked or capturing():
            return
        self._looked = True
        with Quiet():
            asked = [one for entry in self.recorder.params.entries for one in _first_two(entry)]
            apart = numbers([difference for _, _, _, difference in asked])
            found = [_look(*one[:3]) for one, far in zip(asked, apart, strict=True) if far <= _LEAST]
            few = numbers([one.first for one in found])
        self._seen = [one for one, count in zip(found, few, strict=True) if count <= _FEW]

    def window_ends(self) -> None:
        """The last look."""
        if capturing():
            return
        with Quiet():
            rows = [row for one in self._seen if (row := self._last(one)) is not None]
        self._rows, self._twins = tuple(rows), tuple(self._alike())

    def _last(self, one: _Seen) -> t.Rows | None:
        tensor = self.recorder.params.entries[one.index].ref()
        data = None if tensor is None else plain(tensor)
        if data is None or data.ndim < 2 or data.shape[one.dim] != len(one.before):
            return None
        codes = _codes(data, one.dim)
        way = (codes - one.before.to(codes.device)).abs()
        moved = codes[way > _SHARE * way.max()]
        different = _different(moved, _SHARE * way.max()) if len(moved) else torch.zeros(())
        first, last, constant = float(one.first), float(different), float(one.constant)
        value = None if math.isnan(constant) else constant
        return t.Rows(one.index, one.dim, len(codes), int(first), int(last), len(moved), value)

    def _alike(self) -> list[t.Twins]:
        """Parameters of one model that began and ended with the same bits."""
        groups: dict[Any, list[int]] = {}
        for entry in self.recorder.params.entries:
            first, last = entry.first, entry.last
            if first is None or last is None or entry.role != "parameter" or len(entry.shape) < 2:
                continue
            if entry.requires_grad and first.checksum != last.checksum and math.isfinite(last.norm):
                key = (entry.shape, entry.dtype, entry.root, first.checksum, last.checksum)
                groups.setdefault(key, []).append(entry.index)
        return [t.Twins(tuple(own)) for own in groups.values() if len(own) > 1]

    def facts(self) -> dict[str, Any]:
        """What was alike at first, and how it ended."""
        return {"rows": self._rows, "twins": self._twins}


def _first_two(entry: Any) -> list[tuple[int, int, torch.Tensor, torch.Tensor]]:
    """By how much the first two slices differ, along either dimension: nearly all parameters are done with by that."""
    tensor = entry.ref()
    if tensor is None or not tensor.requires_grad or tensor.ndim < 2 or tensor.is_sparse:
        return []
    data = plain(tensor)
    if data is None or data.shape != tensor.shape or data.numel() > _MOST:
        return []
    found = []
    for dim in (0, 1):
        if data.shape[dim] > 1 and data.numel() > data.shape[dim]:
            one, other = data.select(dim, 0).float(), data.select(dim, 1).float()
            greatest = one.abs().max()
            found.append((entry.index, dim, data, (one - other).abs().max() / greatest.clamp(min=1e-30)))
    return found


def _look(index: int, dim: int, data: torch.Tensor) -> _Seen:
    low, high = torch.aminmax(data)
    codes = _codes(data, dim)
    tolerance = _LEAST * torch.maximum(low.abs(), high.abs()).float()
    constant = torch.where(low == high, low, torch.nan).float()
    return _Seen(index, dim, codes, _different(codes, tolerance), constant)


def _codes(data: torch.Tensor, dim: int) -> torch.Tensor:
    """One number for each slice along ``dim``: a sum with fixed factors that no two positions share."""
    exact = torch.float32 if data.device.type == "mps" else torch.float64
    flat = data.movedim(dim, 0).reshape(data.shape[dim], -1).to(exact)
    places = torch.arange(flat.shape[1], dtype=exact, device=flat.device)
    return flat @ (torch.cos(places * 2.399963) + 1.25) / math.sqrt(flat.shape[1])


def _different(codes: torch.Tensor, tolerance: torch.Tensor) -> torch.Tensor:
    """How many of them differ by more than ``tolerance`` (and their own rounding)."""
    ordered = codes.sort().values
    return 1 + ((ordered[1:] - ordered[:-1]) > tolerance + 1e-12 * ordered.abs().max()).sum()
