"""Numbers taken from tensors: ranges, norms, checksums. Nothing here changes a tensor or its autograd state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.distributed as dist

from whygrad.observe.quiet import Quiet
from whygrad.observe.sharding import freed, local

_PLAIN_DISPATCH = torch.Tensor.__torch_dispatch__
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


_MANY = 100_000
_ROWS = 64  #: sums of a large tensor, each of a part of it
_MIX = 0x9E3779B97F4A7C1  #: an odd number, so that multiplying by it loses nothing


class Look(NamedTuple):
    """One look at a tensor: L2 norm, greatest absolute value, checksum of its bits."""

    norm: float
    peak: float
    checksum: int


def plain(tensor: torch.Tensor) -> torch.Tensor | None:
    """The tensor's strided floating-point data without history (complex numbers as pairs of real ones); None if it
    has none that can be measured."""
    if tensor.is_meta or _foreign(type(tensor)):
        return None
    tensor = local(tensor).detach()
    if tensor.layout is not torch.strided:
        tensor = tensor._values() if tensor.layout is torch.sparse_coo else tensor.values()
    if tensor.is_nested or tensor.numel() == 0 or freed(tensor):
        return None
    if tensor.is_complex():
        return torch.view_as_real(tensor.resolve_conj())
    return tensor if tensor.dtype.is_floating_point else None


def ordinary(tensor: Any, most: int | None = None) -> bool:
    """Whether something is a plain strided tensor of real numbers, not empty and of at most ``most`` elements, that can be
    read now."""
    if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided or tensor.is_nested:
        return False
    if tensor.is_meta or tensor.is_complex() or tensor.numel() == 0:
        return False
    return (most is None or tensor.numel() <= most) and not (tensor.is_cuda and capturing())


def _foreign(kind: type) -> bool:
    """Whether a subclass has operations of its own (the user's: they may count or print; torch's own do not)."""
    dispatch = getattr(kind, "__torch_dispatch__", None)
    return dispatch is not _PLAIN_DISPATCH and not kind.__module__.startswith("torch.")


def gradient_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Its ``.grad``; torch warns if one asks a tensor that can't have any."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def capturing() -> bool:
    """Whether a CUDA graph is being captured: to wait for a number then would spoil the capture."""
    return torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


def several_ranks() -> bool:
    """Whether this process trains together with others, as far as torch.distributed has been told."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def part_of(gradient: torch.Tensor) -> torch.Tensor:
    """The sum of the first half of a gradient's elements: linear in it, and hardly ever zero for reasons of its shape (a
    loss that sums to one over classes makes sums over all of them vanish)."""
    flat = gradient.reshape(-1)
    total: torch.Tensor = flat[: (flat.numel() + 1) // 2].sum(dtype=torch.float32)
    return total


def look(tensor: torch.Tensor) -> Look | None:
    """Measure ``tensor``; None where nothing can be measured (meta, integer, empty, foreign subclasses)."""
    try:
        with Quiet():
            data = plain(tensor)
            if data is None:
                return None
            norm, peak = float(norm_of(data)), float(peak_of(data))
            return Look(norm, peak, int(checksum(data).item()))
    except Exception:
        return None  # a subclass that does not implement these operations: not measurable, not an error


def norm_of(data: torch.Tensor) -> torch.Tensor:
    """L2 norm as a float32 (or float64) scalar on the tensor's device."""
    dtype = torch.float64 if data.dtype is torch.float64 else torch.float32
    norm: torch.Tensor = torch.linalg.vector_norm(data, dtype=dtype)
    return norm


def peak_of(data: torch.Tensor) -> torch.Tensor:
    """Greatest absolute value as a float32 scalar; nan if there is any."""
    if not data.is_contiguous():
        # in the order of memory: across it (the transposed gradient of a Linear) aminmax is ten times as slow
        strides = data.stride()
        data = data.permute(sorted(range(data.dim()), key=lambda d: -strides[d]))
    low, high = torch.aminmax(data)
    return torch.maximum(low.abs(), high.abs()).to(torch.float32)


def checksum(data: torch.Tensor) -> torch.Tensor:
    """A number from the bit patterns, an int64 scalar: their sum and the sum of their squares, mixed (integers wrap).

    Equal for equal bits. The sum alone collides in small tensors whose updates nearly cancel; both together do not. Of
    a large tensor it is the sums of 64 parts, each with a weight of its own."""
    flat = data.reshape(-1)
    words = 8 // data.element_size()
    if flat.numel() > _MANY and flat.storage_offset() % words == 0:
        # eight bytes at a time and each once: widening so many costs more than the sums
        whole = flat.numel() - flat.numel() % (words * _ROWS)
        sums = flat[:whole].view(torch.int64).view(_ROWS, -1).sum(1)
        weights = torch.arange(1, 2 * _ROWS, 2, device=flat.device) * _MIX
        return torch.add((sums * weights).sum(), flat[whole:].view(_BITS[data.element_size()]).sum())
    bits = flat.view(_BITS[data.element_size()])
    bits = bits.to(torch.int64)
    # not every device has a dot of integers; on the CPU it saves a copy
    squares = torch.dot(bits, bits) if bits.device.type == "cpu" else (bits * bits).sum()
    return torch.add(bits.sum(), squares, alpha=_MIX)


def numbers(scalars: Sequence[torch.Tensor]) -> list[Any]:
    """Many scalar tensors as Python numbers, with one transfer for each device and dtype."""
    out: list[Any] = [math.nan] * len(scalars)
    groups: dict[tuple[torch.device, torch.dtype], list[int]] = {}
    for i, scalar in enumerate(scalars):
        if type(scalar) is not torch.Tensor:
            continue  # a fake tensor, say: it has no number
        groups.setdefault((scalar.device, scalar.dtype), []).append(i)
    for positions in groups.values():
        for i, number in zip(positions, torch.stack([scalars[i] for i in positions]).tolist(), strict=True):
            out[i] = number
    return out
