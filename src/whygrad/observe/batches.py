"""What a DataLoader gave: digests and classes of the tensors in it."""

from __future__ import annotations

from typing import Any

import torch

from whygrad import trace as t
from whygrad.observe import digests
from whygrad.observe.digests import Look
from whygrad.observe.stats import capturing

_FIELDS = 8  #: tensors of a batch that are looked at


class Batch:
    """What one gave."""

    def __init__(self, loader: int, turn: int, number: int, site: int, backward: int) -> None:
        self.loader, self.turn, self.number, self.site, self.backward = loader, turn, number, site, backward
        self.grad = torch.is_grad_enabled()
        self.chosen, self.ordered = -1, False
        self.fields: list[tuple[str, tuple[int, ...], str, Look]] = []

    def take(self, given: Any) -> list[tuple[str, torch.Tensor]]:
        """Look at the first tensors in it; returns all of them, by name."""
        found: list[tuple[str, torch.Tensor]] = []
        _flatten(given, "", found, 3)
        for name, tensor in found[:_FIELDS]:
            if digests.measurable(tensor) and not capturing():
                look = Look(tensor, target=tensor.numel() == tensor.shape[0] if tensor.dim() else False)
                self.fields.append(
                    (name, tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), look)
                )
        return found

    def looks(self, known: digests.Known) -> list[Look]:
        """What its tensors hold."""
        return [field[3].settle(known) for field in self.fields]

    def record(self, known: digests.Known) -> t.Batch:
        """For the trace."""
        fields = []
        for name, shape, dtype, look in self.fields:
            look.settle(known)
            fields.append(
                t.Field(
                    name, shape, dtype, look.content, look.distinct, look.varied, look.counts, look.changes
                )
            )
        return t.Batch(
            self.loader,
            self.turn,
            self.number,
            self.site,
            self.backward,
            self.grad,
            self.chosen,
            self.ordered,
            tuple(fields),
        )


def _flatten(value: Any, name: str, found: list[tuple[str, torch.Tensor]], depth: int) -> None:
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        found.append((name, value))
    elif depth and kind in (tuple, list):
        for number, item in enumerate(value[:_FIELDS]):
            _flatten(item, f"{name}[{number}]", found, depth - 1)
    elif depth and issubclass(kind, dict):
        for key, item in list(dict.items(value))[:_FIELDS]:
            _flatten(item, f"{name}[{key!r}]" if type(key) is str else name, found, depth - 1)
