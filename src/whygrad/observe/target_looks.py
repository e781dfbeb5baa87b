"""What is measured of the targets of one call of a loss function, on the device where they are."""

from __future__ import annotations

from typing import Any

import torch

from whygrad.observe.call import Call
from whygrad.observe.padding import meets
from whygrad.observe.stats import ordinary

CLASSES = ("cross_entropy", "nll_loss")
_LARGE = 2**22  #: elements above which nothing is looked at


def plain(tensor: Any) -> bool:
    """Whether it is an ordinary tensor of a size that may be looked at."""
    return ordinary(tensor, _LARGE)


def measured(
    call: Call, scores: torch.Tensor, target: torch.Tensor, known: list[torch.Tensor]
) -> torch.Tensor:
    """How many targets count, their range, how many of those that count are padding, and what stands there."""
    whole = call.function.name in CLASSES and not target.is_floating_point()
    counts = torch.ones_like(target, dtype=torch.bool)
    if whole:
        counts = target != call.argument(4, "ignore_index", -100)
        weight = call.argument(2, "weight")
        if plain(weight) and weight.dim() == 1:
            counts = counts & (weight.detach()[target.clamp(0, len(weight) - 1)] != 0)
    numbers = [counts.sum(), *torch.aminmax(target.to(torch.float32))]
    padded = [torch.full((), torch.nan, device=target.device)] * 2
    for padding in reversed(known):
        here = meets(padding, target) if padding.device == target.device else None
        if here is not None:
            padded = _padded(here, scores, target, counts)
            break
    exact = torch.float32 if target.device.type == "mps" else torch.float64
    return torch.stack([n.to(exact) for n in (*numbers, *padded)])


def _padded(
    here: torch.Tensor, scores: torch.Tensor, target: torch.Tensor, counts: torch.Tensor
) -> list[torch.Tensor]:
    """How many targets count though they are padding, and the one number that all of these are. None do where they differ,
    or where the scores there are zeros (a mask was multiplied in)."""
    own = target.to(torch.float32)
    low, high = own.masked_fill(~here, torch.inf).min(), own.masked_fill(~here, -torch.inf).max()
    if scores.shape == target.shape:
        alive = (scores.masked_fill(~here, 0) != 0).any()
    elif scores.dim() == target.dim() + 1:
        alive = ((scores != 0).any(1) & here).any()
    else:
        alive = torch.ones_like(low, dtype=torch.bool)
    return [(here & counts).sum() * (alive & (low == high)), low]
