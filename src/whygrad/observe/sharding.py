"""Tensors of which each rank holds a part (DTensor): what of them is here.

They are named and counted by their whole, and measured by the part that this rank holds: to measure the whole would take
a collective operation, and whygrad adds none. Squares of the ranks' norms add up to the square of the whole's.
"""

from __future__ import annotations

from typing import Any

import torch


def local(tensor: torch.Tensor) -> torch.Tensor:
    """The part of a DTensor that this rank holds; any other tensor as it is.

    Told by its attribute: to import the class costs what a script that has none need not pay."""
    if not is_shard(tensor):
        return tensor
    part: Any = tensor._local_tensor  # type: ignore[attr-defined]
    # a collective operation that the script has begun may still be under way: nothing new is sent by waiting for it
    wait = getattr(part, "trigger_wait", None)
    found: torch.Tensor = part if wait is None else wait()
    return found


def is_shard(tensor: torch.Tensor) -> bool:
    """Whether a tensor is one of which each rank holds a part."""
    kind = type(tensor)
    return kind is not torch.Tensor and kind is not torch.nn.Parameter and hasattr(tensor, "_local_tensor")


def freed(tensor: torch.Tensor) -> bool:
    """Whether a tensor's memory was given back although it still has elements: ``fully_shard`` does so with parameters
    that are gathered again for the next use. To read one would end the process."""
    try:
        return tensor.numel() > 0 and tensor.untyped_storage().nbytes() == 0
    except (RuntimeError, NotImplementedError):
        return False  # it has no storage
