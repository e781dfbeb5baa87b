"""Whether targets are the inputs one position further, and where a position lies in the scores."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

_TOLD = 8  #: elements that must differ from their neighbour and agree before a shift is no accident


class Shift(NamedTuple):
    """The axis along which targets are inputs one position further; ``short``: the last position has no target.
    ``position``: one in the middle of those that count in the loss, ``rows``: the samples in which it does."""

    axis: int
    short: bool
    position: int
    rows: torch.Tensor


def shifted(inputs: torch.Tensor, targets: torch.Tensor, ignored: int | None) -> Shift | None:
    """Whether ``targets`` are ``inputs`` one position further, in one of the ways that this is done."""
    if inputs.device != targets.device:
        return None
    if inputs.is_floating_point() and not targets.is_floating_point():
        if inputs.dim() != 3 or int(inputs.count_nonzero()) * inputs.shape[-1] != inputs.numel():
            return None
        inputs = inputs.argmax(-1)  # one-hot
    elif inputs.is_floating_point() and targets.numel() < inputs.numel() and inputs.shape[-1] > 1:
        inputs = inputs[..., 0]  # the first feature is to be predicted
    for axis in range(min(inputs.dim(), 2)):
        length = inputs.shape[axis]
        if length < 3:
            continue
        later, before = inputs.narrow(axis, 1, length - 1), inputs.narrow(axis, 0, length - 1)
        if targets.numel() == inputs.numel():
            wanted = targets.reshape(inputs.shape).narrow(axis, 0, length - 1)
        elif targets.numel() == later.numel():
            wanted = targets.reshape(later.shape)
        else:
            continue
        counts = torch.ones_like(wanted, dtype=torch.bool) if ignored is None else wanted != ignored
        told = counts & (later != before)
        if bool((wanted == later)[counts].all()) and int(told.sum()) >= _TOLD:
            places = counts.movedim(axis, 0).reshape(length - 1, -1).any(1).nonzero()
            position = int(places.flatten()[(len(places) - 1) // 2])
            return Shift(axis, targets.numel() != inputs.numel(), position, counts.select(axis, position))
    return None


def spread(marked: torch.Tensor, scores: tuple[int, ...]) -> torch.Tensor | None:
    """Marked positions in the layout of the scores, with a different weight for each class or feature."""
    places, flat = tuple(marked.shape), marked.reshape(-1)
    if scores[:-1] == places or scores[:-1] == (flat.numel(),):
        return (flat[:, None] * _weights(scores[-1], marked)).reshape(scores)
    if len(scores) == 3 and (scores[0], scores[2]) == places:
        return marked[:, None, :] * _weights(scores[1], marked)[None, :, None]
    return flat.reshape(scores) if flat.numel() == math.prod(scores) else None


def _weights(count: int, like: torch.Tensor) -> torch.Tensor:
    return torch.arange(1, count + 1, device=like.device).to(like.dtype).cos()
