"""Whether the inputs that were seen say anything about the targets that were seen with them, in the simplest sense.

For classes: the variance between their means over the variance within, for numbers: the squared correlation, each for a
few features, over what chance alone would give. About 1 where inputs and targets have nothing to do with each other.
"""

from __future__ import annotations

import torch

_FEATURES, _ROWS = 64, 4096


class Dependence:
    """Collects rows of the first inputs of each pass, and their targets; no more than a few thousand numbers."""

    def __init__(self) -> None:
        self._inputs: dict[int, torch.Tensor] = {}
        self._targets: dict[int, torch.Tensor] = {}
        self._rows = 0

    def take(self, role: str, tensor: torch.Tensor, backward: int) -> None:
        """A tensor of a pass."""
        if self._rows > _ROWS or not tensor.is_cpu or tensor.shape[0] < 2:
            return
        if role == "input" and backward not in self._inputs and tensor.is_floating_point():
            flat = tensor.detach()[:_ROWS].reshape(min(tensor.shape[0], _ROWS), -1)
            self._inputs[backward] = (
                flat[:, :: max(1, flat.shape[1] // _FEATURES)][:, :_FEATURES].double().clone()
            )
        elif role == "target" and backward not in self._targets:
            flat = tensor.detach()[:_ROWS].reshape(min(tensor.shape[0], _ROWS), -1)
            if flat.shape[1] == 1:
                self._targets[backward] = flat[:, 0].double().clone()
                self._rows += len(flat)

    def measured(self) -> float:
        """The mean over the features; -1 where there is too little."""
        both = [
            b for b in self._inputs if b in self._targets and len(self._inputs[b]) == len(self._targets[b])
        ]
        width = {self._inputs[b].shape[1] for b in both}
        if len(width) != 1:
            return -1.0
        x, y = torch.cat([self._inputs[b] for b in both]), torch.cat([self._targets[b] for b in both])
        if len(y) < 40 or not x.isfinite().all() or not y.isfinite().all():
            return -1.0
        x = x[:, x.std(0) > 1e-12]
        if not x.shape[1]:
            return -1.0
        classes = y.unique()
        if len(classes) < 2:
            return -1.0
        if len(classes) <= min(50, len(y) // 8):
            return _between(x, y, classes)
        x, y = x - x.mean(0), y - y.mean()
        share = (x * y[:, None]).sum(0) ** 2 / ((x * x).sum(0) * (y * y).sum())
        return float((share * (len(y) - 1)).mean())


def _between(x: torch.Tensor, y: torch.Tensor, classes: torch.Tensor) -> float:
    x = x - x.mean(0)
    parts = [x[y == c] for c in classes]
    between = torch.stack([len(p) * p.mean(0) ** 2 for p in parts]).sum(0) / (len(parts) - 1)
    within = torch.stack([((p - p.mean(0)) ** 2).sum(0) for p in parts]).sum(0) / max(1, len(x) - len(parts))
    return float((between / within.clamp_min(1e-12)).mean())
