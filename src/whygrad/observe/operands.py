"""Tensors without parameters that enter an operation: comparing them between passes, and exchanging them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from whygrad.observe.stats import numbers

_LARGE = 10**7  #: elements above which a sum is enough of a checksum
_PLAIN_DISPATCH = torch.Tensor.__torch_dispatch__
_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}

Form = tuple[int, tuple[int, ...], torch.dtype, torch.device]


class Operand:
    """One such tensor at one call. ``kept`` is a copy, where it is to be kept and can be; ``number``: what tells it from
    others instead of its contents (-1: the contents do)."""

    __slots__ = ("digest", "form", "kept", "position")

    def __init__(self, position: int, tensor: torch.Tensor, keep: bool, number: int = -1) -> None:
        self.position = position
        self.form: Form = (position, tuple(tensor.shape), tensor.dtype, tensor.device)
        simple = type(tensor).__torch_dispatch__ is _PLAIN_DISPATCH and not tensor.is_nested
        simple = simple and tensor.layout is torch.strided
        self.digest = torch.tensor(number) if number >= 0 else digest(tensor) if simple else _of_parts(tensor)
        self.kept = tensor.detach().clone() if keep and simple and number < 0 else None


def digest(tensor: torch.Tensor) -> torch.Tensor:
    """A number from the bits of a strided tensor and their order; integers wrap."""
    data = tensor.detach()
    data = torch.view_as_real(data.resolve_conj()) if data.is_complex() else data
    bits = data.contiguous().view(_INTEGERS[data.element_size()]).reshape(-1).to(torch.int64)
    if bits.numel() > _LARGE:
        return bits.sum()
    return (bits * torch.arange(1, 2 * bits.numel(), 2, device=bits.device)).sum()


def _of_parts(tensor: torch.Tensor) -> torch.Tensor:
    """The same of a sparse tensor; of what can't be measured at all a number that is new every time."""
    try:
        if tensor.layout is torch.sparse_coo:
            return digest(tensor._values()) + digest(tensor._indices())
        return digest(tensor.values())
    except Exception:
        return torch.full((), float("nan"))


def forms(calls: Sequence[Sequence[Operand]]) -> list[list[Form]]:
    """What must be equal for the operands of one pass to stand for those of another."""
    return [[operand.form for operand in operands] for operands in calls]


def moved(
    first: Sequence[Sequence[Operand]], others: Sequence[Sequence[Sequence[Operand]]]
) -> list[dict[int, torch.Tensor | None]]:
    """For each call of a pass the operands that were not the same at every pass, by position: what they were at first,
    None where that was not kept."""
    flat = [[o for operands in calls for o in operands] for calls in (first, *others)]
    seen = numbers([o.digest for operands in flat for o in operands])
    width = len(flat[0])
    changed = {
        id(operand)
        for i, operand in enumerate(flat[0])
        if any(seen[i + width * n] != seen[i] for n in range(1, len(flat)))
    }
    return [{o.position: o.kept for o in operands if id(o) in changed} for operands in first]


def fits(tensor: torch.Tensor, kept: torch.Tensor) -> bool:
    """Whether ``kept`` can stand in for ``tensor``."""
    same = (tensor.shape, tensor.dtype, tensor.device) == (kept.shape, kept.dtype, kept.device)
    return same and not tensor.requires_grad


def swapped(value: Any, swap: Mapping[int, torch.Tensor], depth: int) -> Any:
    """The same nested arguments, with the tensors of some ids exchanged (compare ``recorder.tensors_in``)."""
    if isinstance(value, torch.Tensor):
        return swap.get(id(value), value)
    if depth and isinstance(value, (tuple, list)):
        make: Callable[[Any], Any] = getattr(type(value), "_make", type(value))
        return make([swapped(v, swap, depth - 1) for v in value])
    if depth and isinstance(value, dict):
        return {key: swapped(v, swap, depth - 1) for key, v in value.items()}
    return value
