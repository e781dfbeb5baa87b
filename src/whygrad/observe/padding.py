"""Which positions of a batch of sequences are padding, told from what enters the model."""

from __future__ import annotations

import torch

_STRAY = 0.02  #: share of a value outside the ends of rows above which it is no padding


def of_ids(ids: torch.Tensor, padding: int | None) -> torch.Tensor | None:
    """The padded positions of a batch of token ids: where the embedding's own padding index stands, or a value that
    fills the ends of rows and is found nowhere else."""
    if padding is not None:
        return ids == padding
    if ids.dim() != 2 or min(ids.shape) < 2:
        return None
    ends = (ids[:, -1].mode().values, ids[-1].mode().values)
    return _filling(ids == ends[0]) | _filling((ids == ends[1]).t()).t()


def of_features(data: torch.Tensor) -> torch.Tensor | None:
    """The same of a batch of feature vectors [N, T, D] or [T, N, D]: steps at the end that are zero throughout."""
    if data.dim() != 3 or min(data.shape[:2]) < 2:
        return None
    here = (data == 0).all(-1)
    return _filling(here) | _filling(here.t()).t()


def _filling(here: torch.Tensor) -> torch.Tensor:
    """``here`` if it marks the ends of rows of different lengths, and next to nothing else; otherwise nothing of it."""
    tail = here.flip(1).cumprod(1).flip(1).bool()
    lengths = tail.sum(1)
    outside = (here & ~tail).sum()
    told = (lengths.max() > 1) & (lengths.max() > lengths.min()) & (lengths.min() < here.shape[1])
    return tail & told & (outside <= _STRAY * (~tail).sum())


def meets(padding: torch.Tensor, target: torch.Tensor) -> torch.Tensor | None:
    """The padded positions in the shape of ``target`` (class numbers, or values), if the two can be laid over each other:
    as they are, flattened, or one step shorter."""
    tries = [padding] if padding.dim() != 2 else [padding, padding[:, :-1]]
    for one in tries:
        if one.shape == target.shape[: one.dim()] and one.numel():
            return one.reshape(one.shape + (1,) * (target.dim() - one.dim())).expand(target.shape)
        if one.dim() == 2 and one.t().shape == target.shape:
            return one.t()
        flat = target.dim() == 1 or (target.dim() == 2 and target.shape[1] == 1)
        if flat and one.numel() == target.numel():
            return one.reshape(target.shape)
    return None
