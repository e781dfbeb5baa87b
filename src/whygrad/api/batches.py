"""How a model, a loss function and a batch go together, and what is wrong with them, said before anything runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from whygrad.errors import UsageError

_RATE = 1e-3  #: of the optimizer that is made where none is given

Step = Callable[[], object]


def known(model: Any, loss_fn: Any, batch: Any, steps: int) -> None:
    """Bad input is told before anything runs."""
    if steps < 2:
        raise UsageError(
            f"steps={steps} is too few; take at least 2, a gradient may be zero at the first step only."
        )
    if isinstance(model, torch.nn.Module):
        if batch is None:
            raise UsageError(
                "check() was given a model and no batch; give it one: check(model, loss_fn, batch)."
            )
        if any(torch.nn.parameter.is_lazy(p) for p in model.parameters()):
            raise UsageError("The model has lazy parameters; run one batch through it first.")
    elif not callable(model):
        raise UsageError(f"check() takes a model or a function, not {type(model).__name__}.")
    elif batch is not None or loss_fn is not None:
        raise UsageError(
            "check() was given a function and a batch or loss too; the function does its own step: check(step)."
        )
    elif _takes_arguments(model):
        raise UsageError("The step takes arguments; wrap it: check(lambda: step(batch)).")


def _takes_arguments(step: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(step).parameters.values()
    except (TypeError, ValueError):
        return False
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(p.default is p.empty and p.kind not in several for p in parameters)


def adam(model: torch.nn.Module) -> torch.optim.Optimizer:
    """The optimizer of a check where none is given."""
    trainable = [p for p in model.parameters() if p.requires_grad]
    if not trainable:
        raise UsageError(
            "No parameter of the model requires grad; unfreeze what is to train (requires_grad_(True))."
        )
    return torch.optim.Adam(trainable, lr=_RATE)


def step_on(
    model: torch.nn.Module,
    loss_fn: Callable[..., torch.Tensor] | None,
    batch: Any,
    optimizer: torch.optim.Optimizer,
) -> Step:
    """A training step on that batch."""

    def step() -> None:
        optimizer.zero_grad()
        loss_of(model, loss_fn, batch).backward()
        optimizer.step()

    return step


def loss_of(model: torch.nn.Module, loss_fn: Callable[..., torch.Tensor] | None, batch: Any) -> torch.Tensor:
    """The loss of a model on a batch, however it comes about."""
    args, kwargs, target = inputs_of(batch, loss_fn)
    output = model(*args, **kwargs)
    loss = loss_fn(output, target) if loss_fn is not None else output
    if isinstance(loss, Mapping) and "loss" in loss:
        loss = loss["loss"]
    loss = getattr(loss, "loss", loss)
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
        what = (
            f"a tensor of shape {tuple(loss.shape)}"
            if isinstance(loss, torch.Tensor)
            else type(loss).__name__
        )
        raise UsageError(f"The loss is {what}; give a loss_fn that returns one number.")
    return loss


def inputs_of(batch: Any, loss_fn: Any) -> tuple[Sequence[Any], Mapping[str, Any], Any]:
    """What the model gets of a batch, and what the loss function gets beside its output."""
    if isinstance(batch, Mapping):
        return (), batch, batch
    if isinstance(batch, Sequence):
        return (batch[:-1], {}, batch[-1]) if loss_fn is not None else (batch, {}, None)
    return (batch,), {}, batch
