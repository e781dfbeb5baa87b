"""What a watch finds out about where it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from whygrad.errors import UsageError
from whygrad.saved import records


def bare_optimizers(given: Any) -> list[Any] | None:
    """The optimizers that are meant, without wrappers (Accelerate's holds the real one as ``optimizer``)."""
    if given is None:
        return None
    several = list(given) if isinstance(given, Iterable) else [given]
    found = []
    for one in several:
        while not isinstance(one, torch.optim.Optimizer) or hasattr(one, "accelerator_state"):
            inner = getattr(one, "optimizer", None)
            if inner is None:
                break
            one = inner  # noqa: PLW2901
        if not hasattr(one, "param_groups"):
            raise UsageError(
                f"whygrad.watch() was given an optimizer of type {type(one).__name__} without param_groups."
            )
        found.append(one)
    return found


def script() -> str:
    """What this process runs."""
    return (
        getattr(sys.modules.get("__main__"), "__file__", None)
        or (sys.argv[0] if sys.argv else "")
        or "training"
    )


def record_path(record: bool | str | Path, script: str) -> Path | None:
    """Where the record goes; None for nowhere."""
    if isinstance(record, bool):
        return records.new_path(script, str(Path.cwd())) if record else None
    return Path(record).absolute()


def first_rank() -> bool:
    """Whether this process is the first of those that train together, or the only one."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank() == 0
    return os.environ.get("RANK", "0") == "0"
