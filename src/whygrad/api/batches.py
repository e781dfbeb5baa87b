"""How a model, a loss function and a batch go together, and what is wrong with them, said before anything runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from whygrad.errors import UsageError

_RATE = 1e-3  #: of the optimizer that is made where none is given
_FROZEN = "No parameter of the model requires grad; unfreeze what is to train (requires_grad_(True))."

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
        if isinstance(batch, (Iterator, torch.utils.data.DataLoader)):
            raise UsageError(
                f"The batch is a {type(batch).__name__}; give one batch of it: next(iter(loader))."
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


def default_optimizer(model: torch.nn.Module, loss_fn: Any) -> torch.optim.Optimizer:
    """The optimizer of a check where none is given (Adagrad where gradients are sparse, which Adam refuses)."""
    trainable = [p for p in model.parameters() if p.requires_grad]
    if isinstance(loss_fn, torch.nn.Module):  # it may have parameters of its own
        own = {id(p) for p in trainable}
        trainable += [p for p in loss_fn.parameters() if p.requires_grad and id(p) not in own]
    if not trainable:
        raise UsageError(_FROZEN)
    if any(getattr(module, "sparse", False) is True for module in model.modules()):
        return torch.optim.Adagrad(trainable, lr=_RATE)
    # the fused step takes half the time on the CPU; elsewhere the default is as quick
    fused = all(type(p) is torch.nn.Parameter and p.is_cpu and p.is_floating_point() for p in trainable)
    return torch.optim.Adam(trainable, lr=_RATE, fused=fused or None)


def step_on(
    model: torch.nn.Module,
    loss_fn: Callable[..., torch.Tensor] | None,
    batch: Any,
    optimizer: torch.optim.Optimizer,
) -> Step:
    """A training step on that batch."""
    trainable = any(p.requires_grad for group in optimizer.param_groups for p in group["params"])
    if not trainable and not any(p.requires_grad for p in model.parameters()):
        raise UsageError(_FROZEN)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        value = loss_of(model, loss_fn, batch)
        value.backward()
        return value

    def step() -> None:
        loss()
        optimizer.step()

    def step_with_closure() -> None:
        optimizer.step(loss)  # type: ignore[arg-type]  # torch's own examples return the tensor

    return step_with_closure if needs_closure(optimizer) else step


def needs_closure(optimizer: torch.optim.Optimizer) -> bool:
    """Whether a step can't be taken without one (LBFGS)."""
    closure = inspect.signature(optimizer.step).parameters.get("closure")
    return closure is not None and closure.default is closure.empty


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
