"""What a DataLoader and the source of its dataset say of it."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe import buffers, datasets, file_lists, seeding
from whygrad.observe.frames import Stacks


def described(stacks: Stacks, loader: Any, created: int) -> t.Loader:
    """What it says of itself, and the source of its dataset of that."""
    dataset = loader.dataset
    inner = datasets.innermost(dataset)
    code = datasets.item_code(inner)
    iterable = issubclass(type(dataset), torch.utils.data.IterableDataset)
    user = datasets.is_dataset(inner) or code is not None
    return t.Loader(
        kind=type(loader).__name__,
        created=created,
        dataset=type(inner).__name__,
        sampler=type(loader.sampler).__name__ if not iterable else "",
        workers=loader.num_workers,
        rows=_length(dataset),
        batches=-1 if iterable else _length(loader),
        iterable=iterable,
        seeded=loader.worker_init_fn is not None,
        persistent=bool(loader.persistent_workers),
        items=tuple(datasets.handed_out(stacks, code)) if code else (),
        random=tuple(seeding.carried_generators(stacks, dataset, loader.collate_fn))
        if user and loader.num_workers
        else (),
        reseeds=tuple(seeding.constant_seeds(stacks, code)) if code else (),
        buffers=tuple(buffers.buffers(stacks, inner)) if user else (),
        files_apart=file_lists.files_apart(stacks, inner, code) if code else -1,
        worker_seeds=_worker_seeds(stacks, loader),
    )


def _worker_seeds(stacks: Stacks, loader: Any) -> tuple[int, ...]:
    """Where ``worker_init_fn`` sets the same seed in every worker, for items that random numbers are drawn for."""
    begin = loader.worker_init_fn
    if type(begin) is not FunctionType or not loader.num_workers:
        return ()
    if not seeding.draws(datasets.innermost(loader.dataset), loader.collate_fn):
        return ()
    return tuple(seeding.constant_seeds(stacks, begin.__code__, method=False))


def _length(thing: Any) -> int:
    try:
        return len(thing)
    except Exception:
        return -1
