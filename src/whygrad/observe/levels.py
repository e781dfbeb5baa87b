"""What a loss function could reach at best on a batch, and what a guess that ignores the input reaches.

The constant guess gives every sample the same answer, the best one for this batch: for classes their frequencies, for a
regression the mean (or median) of each output. A model that can learn at all gets far below it on one batch.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.nn import _reduction, functional

Args = dict[str, Any]


class Level(NamedTuple):
    """``guess``: the loss of the best constant answer; ``floor``: of a perfect one (soft targets, label smoothing);
    ``uniform``: of equal probabilities for ``classes`` classes. All in the units of the loss as it was called."""

    guess: float
    floor: float = 0.0
    uniform: float | None = None
    classes: int = 0


def known(func: Callable[..., Any]) -> bool:
    """Whether a function is a loss function whose levels can be told."""
    return func in _LEVELS


def level(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Level | None:
    """The levels of a call of a loss function; None if it is not one of those known here, or can't be told."""
    measure = _LEVELS.get(func)
    if measure is None:
        return None
    given = _bound(func, args, kwargs)
    one, count = measure(given)
    if not math.isfinite(one.guess):
        return None
    factor = count if _reduction_of(given) == "sum" else 1.0
    uniform = None if one.uniform is None else one.uniform * factor
    return Level(one.guess * factor, one.floor * factor, uniform, one.classes)


def share_right(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> torch.Tensor | None:
    """The share of samples put in their class, on the tensors' device; None where there are no classes."""
    if _LEVELS.get(func) not in (_classes, _binary):
        return None
    given = _bound(func, args, kwargs)
    scores, target = given["input"].detach(), given["target"].detach()
    if _LEVELS[func] is _classes:
        if target.dtype.is_floating_point:
            return None
        right = scores.argmax(1 if scores.dim() > 1 else 0) == target
        share: torch.Tensor = right.sum() / (target != given["ignore_index"]).sum()
        return share
    middle = 0.0 if func is functional.binary_cross_entropy_with_logits else 0.5
    share = ((scores > middle) == (target > 0.5)).float().mean()
    soft = ((target != 0) & (target != 1)).any()  # stays on the device: nothing waits for it
    return torch.where(soft, torch.nan, share)


@functools.cache
def _signature(func: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(func)


def _bound(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Args:
    bound = _signature(func).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def _reduction_of(given: Args) -> str:
    if given.get("size_average") is not None or given.get("reduce") is not None:
        return _reduction.legacy_get_string(given["size_average"], given["reduce"], emit_warning=False)
    return str(given["reduction"])


def _entropy(share: torch.Tensor, dim: int = -1) -> torch.Tensor:
    return -torch.xlogy(share, share).sum(dim)


def _classes(given: Args) -> tuple[Level, float]:
    """Cross-entropy and NLL: the entropy of the labels' frequencies."""
    scores, target, weight = given["input"], given["target"].detach(), given["weight"]
    classes = scores.shape[1 if scores.dim() > 1 else 0]
    smoothing = float(given.get("label_smoothing", 0.0))
    own = torch.ones(classes, dtype=torch.float64) if weight is None else weight.detach().double().cpu()
    soft = target.dtype.is_floating_point
    if soft:
        rows = target.double().cpu().movedim(1 if target.dim() > 1 else 0, -1).reshape(-1, classes)
        mean, count = (rows * own).mean(0), float(len(rows))
        floor, scale = (float(_entropy(rows).mean()) if weight is None else 0.0), float(mean.sum())
    else:
        labels = target.reshape(-1).cpu()
        labels = labels[labels != given["ignore_index"]]
        mean = torch.bincount(labels, minlength=classes).double() * own
        floor, scale, count = 0.0, 1.0, float(mean.sum())
    share = mean / mean.sum()
    if smoothing:
        share = (1 - smoothing) * share + smoothing / classes
        wrong = smoothing / classes
        one = torch.tensor([1 - smoothing + wrong, *[wrong] * (classes - 1)], dtype=torch.float64)
        floor = floor if soft else float(_entropy(one))
    return Level(scale * float(_entropy(share)), floor, math.log(classes), classes), count


def _binary(given: Args) -> tuple[Level, float]:
    """Binary cross-entropy: the entropy of the targets, one output at a time."""
    target = given["target"].detach().double().cpu()
    weight = _like(given.get("weight"), target)
    yes = weight * _like(given.get("pos_weight"), target) * target
    no = weight * (1 - target)

    def best(a: torch.Tensor, b: torch.Tensor) -> float:
        share = a / (a + b)
        return float(-(torch.xlogy(a, share) + torch.xlogy(b, 1 - share)).nan_to_num().mean())

    guess = best(_mean(yes), _mean(no))
    return Level(guess, best(yes, no), math.log(2), 2), float(target.numel())


def _like(factor: Any, target: torch.Tensor) -> torch.Tensor:
    given = torch.ones((), dtype=torch.float64) if factor is None else factor.detach().double().cpu()
    return given.expand_as(target)


def _mean(target: torch.Tensor) -> torch.Tensor:
    """The mean over the samples, one for each output; over everything where there is a single sample."""
    several = target.dim() > 0 and target.shape[0] > 1
    return target.mean(0, keepdim=True) if several else target.mean()


def _regression(given: Args, loss: Callable[..., torch.Tensor], **options: float) -> tuple[Level, float]:
    """The loss of the targets against their own mean, or median where that is better."""
    target = given["target"].detach().double().cpu()
    several = target.dim() > 0 and target.shape[0] > 1
    middle = target.median(0, keepdim=True).values if several else target.median()
    guesses = [float(loss(m.expand_as(target), target, **options)) for m in (_mean(target), middle)]
    plain = given.get("weight") is None
    return Level(min(guesses) if plain else math.nan), float(target.numel())


_LEVELS: dict[Callable[..., Any], Callable[[Args], tuple[Level, float]]] = {
    functional.cross_entropy: _classes,
    functional.nll_loss: _classes,
    functional.binary_cross_entropy: _binary,
    functional.binary_cross_entropy_with_logits: _binary,
    functional.mse_loss: lambda given: _regression(given, functional.mse_loss),
    functional.l1_loss: lambda given: _regression(given, functional.l1_loss),
    functional.smooth_l1_loss: lambda given: _regression(
        given, functional.smooth_l1_loss, beta=float(given["beta"])
    ),
    functional.huber_loss: lambda given: _regression(
        given, functional.huber_loss, delta=float(given["delta"])
    ),
}
