"""All the targets of a data set, found among the attributes of the dataset or in the memory that a batch lies in."""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe.containers import attributes


class Columns:
    """Those that were found, by number."""

    def __init__(self) -> None:
        self.all: list[t.Column] = []

    def add(self, column: torch.Tensor) -> int:
        """Count its classes, and how often one follows another."""
        flat = column.reshape(-1)
        changes = int((flat[1:] != flat[:-1]).sum())
        shares = flat.unique(return_counts=True)[1].double() / max(1, len(flat))
        by_chance = (len(flat) - 1) * (1 - float((shares * shares).sum()))
        self.all.append(t.Column(len(flat), len(shares), changes, by_chance))
        return len(self.all) - 1


def columns(dataset: Any, rows: int) -> list[Any]:
    """What may be the targets of a whole dataset: its attributes with one number for each item."""
    found = []
    for value in attributes(dataset).values():
        parts = value if type(value) is tuple and len(value) < 8 else (value,)
        for part in parts:
            column = _column(part, rows)
            if column is not None:
                found.append(column)
    return found


def _column(part: Any, rows: int) -> torch.Tensor | None:
    if (
        type(part) is list
        and 0 < len(part) == rows <= 10**6
        and all(type(v) in (int, float) for v in part[:64])
    ):
        try:
            return torch.tensor(part)
        except Exception:
            return None
    if type(part).__module__ == "numpy" and type(part).__name__ == "ndarray" and part.dtype.kind in "iufb":
        part = torch.from_numpy(part) if part.flags.writeable and part.dtype.byteorder in "=|<" else None
    if type(part) is not torch.Tensor or not part.is_cpu or part.dim() not in (1, 2):
        return None
    return part.detach() if part.shape[0] == rows == part.numel() else None
