"""What an optimizer's step would make of one gradient, tried without lasting effect."""

from __future__ import annotations

import copy

import msgspec
import torch

from whygrad.api.batches import needs_closure
from whygrad.observe.stats import norm_of


class Update(msgspec.Struct, frozen=True):
    """``norm``: L2 norm of the change that a step would make to the parameter, ``share``: over the norm of the parameter
    (None where that is 0), ``lr``: of its group. ``held``: whether the optimizer has this parameter at all. ``tried``: whether
    a step could be tried; one that needs a closure (LBFGS) can't."""

    optimizer: str
    held: bool
    lr: float | None = None
    norm: float = 0.0
    share: float | None = None
    tried: bool = True

    def __str__(self) -> str:
        if not self.held:
            return f"{self.optimizer} does not hold this parameter: its step changes nothing here"
        if not self.tried:
            return f"{self.optimizer} steps with a closure, which can't be tried here"
        rate = "" if self.lr is None else f" (lr {self.lr:.3g})"
        share = "" if self.share is None else f", {self.share:.2g} of its norm"
        return f"{self.optimizer}{rate} would change it by {self.norm:.3g}{share}"


def update(optimizer: torch.optim.Optimizer, parameter: torch.Tensor, gradient: torch.Tensor) -> Update:
    """Take a step with copies of the optimizer and of all its parameters, in which this one alone has a gradient."""
    kind = type(optimizer).__name__
    group = next((g for g in optimizer.param_groups if any(p is parameter for p in g["params"])), None)
    if group is None:
        return Update(kind, False)
    if needs_closure(optimizer):
        return Update(kind, True, tried=False)
    # together, so that the copy of the optimizer holds the copy of the parameter
    twin, own = copy.deepcopy((optimizer, parameter))
    for one in twin.param_groups:
        for tensor in one["params"]:
            tensor.grad = gradient if tensor is own else None
    twin.step()
    change = float(norm_of(parameter.detach() - own.detach()))
    norm = float(norm_of(parameter.detach()))
    lr = group.get("lr")
    return Update(kind, True, None if lr is None else float(lr), change, change / norm if norm else None)
