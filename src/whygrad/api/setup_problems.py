"""What is wrong with a model's set-up before it is trained: the same faults, under the same slugs, that a run shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import torch

from whygrad.finding import Severity

if TYPE_CHECKING:
    from whygrad.api.inspection import Row

_LAYERS = (torch.nn.Linear, torch.nn.modules.conv._ConvNd)
_FAR = 10.0  #: times the usual scale; ten times more or less is outside of every common initialisation


class Problem(msgspec.Struct, frozen=True):
    """``rule`` names the fault (``whygrad explain RULE`` tells more), ``severity`` is as in a report."""

    rule: str
    severity: Severity
    parameters: tuple[str, ...]
    text: str


def problems(
    model: torch.nn.Module,
    rows: Sequence[Row],
    tensors: Sequence[torch.Tensor],
    optimizers: Sequence[torch.optim.Optimizer],
) -> Iterator[Problem]:
    """All of them, those of the module tree first."""
    yield from _hidden(rows, tensors)
    yield from _lazy(rows, tensors)
    if optimizers:
        yield from _held(rows, tensors, optimizers)
    yield from _values(model, rows)


def _problem(rule: str, severity: Severity, rows: Iterable[Row], text: str) -> Iterator[Problem]:
    names = tuple(dict.fromkeys(row.fqn for row in rows))
    if names:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield Problem(rule, severity, names, f"{', '.join(names[:3])}{more}: {text}")


def _hidden(rows: Sequence[Row], tensors: Sequence[torch.Tensor]) -> Iterator[Problem]:
    hidden = [row for row in rows if not row.registered and row.leaf]
    text = "hidden from the module tree, so that model.parameters() has not got it; use ModuleList, ModuleDict or an attribute"
    yield from _problem("unregistered-module", "error", [r for r in hidden if "." in r.fqn], text)
    yield from _problem("unregistered-parameter", "error", [r for r in hidden if "." not in r.fqn], text)
    own = {id(x) for row, x in zip(rows, tensors, strict=True) if row.registered}
    lost = [
        row for row, x in zip(rows, tensors, strict=True) if not row.leaf and not _leaves_behind(x) <= own
    ]
    text = "computed by an operation, no leaf: an optimizer can't train it; make the result an nn.Parameter"
    yield from _problem("unregistered-parameter", "error", lost, text)


def _leaves_behind(tensor: torch.Tensor) -> set[int]:
    """The leaves that a tensor was computed from. Where all are parameters of the model, it is only their latest result
    (a normalised weight, say)."""
    found: set[int] = set()
    waiting, seen = [tensor.grad_fn], {tensor.grad_fn}
    while waiting:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            found.add(id(variable))
        for child, _ in () if node is None else node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                waiting.append(child)
    return found


def _lazy(rows: Sequence[Row], tensors: Sequence[torch.Tensor]) -> Iterator[Problem]:
    lazy = [row for row, x in zip(rows, tensors, strict=True) if torch.nn.parameter.is_lazy(x)]
    held = [row for row in lazy if row.optimizer is not None]
    text = "not initialised yet (a lazy module); run one batch through the model before anything else"
    yield from _problem("uninitialised-parameter", "warning" if held else "note", lazy, text)


def _held(
    rows: Sequence[Row], tensors: Sequence[torch.Tensor], optimizers: Sequence[torch.optim.Optimizer]
) -> Iterator[Problem]:
    missing = [row for row in rows if row.requires_grad and row.leaf and row.optimizer is None]
    text = "trainable, and no optimizer has it; add it to a parameter group"
    yield from _problem("parameter-not-in-optimizer", "error", missing, text)
    frozen = [row for row in rows if not row.requires_grad and row.optimizer is not None]
    text = "frozen, and in an optimizer: it will not change"
    yield from _problem("frozen-in-optimizer", "note", frozen, text)
    twice = [row for row, x in zip(rows, tensors, strict=True) if _times(x, optimizers) > 1]
    text = "in more than one parameter group: every step changes it more than once"
    yield from _problem("parameter-in-two-optimizers", "warning", twice, text)
    known = {id(x) for x in tensors}
    foreign = [p for o in optimizers for g in o.param_groups for p in g["params"] if id(p) not in known]
    if foreign:
        shapes = ", ".join("x".join(map(str, p.shape)) or "scalar" for p in foreign[:3])
        yield Problem(
            "optimizer-holds-stale-parameter",
            "error" if missing else "note",
            (),
            f"the optimizer holds {len(foreign)} tensors that this model has not got ({shapes}); "
            "make it after the last layer was put in its place",
        )


def _times(tensor: torch.Tensor, optimizers: Sequence[torch.optim.Optimizer]) -> int:
    return sum(p is tensor for o in optimizers for g in o.param_groups for p in g["params"])


def _values(model: torch.nn.Module, rows: Sequence[Row]) -> Iterator[Problem]:
    broken = [row for row in rows if row.initial is not None and not math.isfinite(row.initial.mean)]
    text = "not finite (nan or inf) before any step; look at how it was initialised or loaded"
    yield from _problem("first-nonfinite", "error", broken, text)
    by_name = {row.fqn: row for row in rows if row.initial is not None and row not in broken}
    layers = [
        by_name[f"{name}.weight" if name else "weight"]
        for name, module in model.named_modules()
        if isinstance(module, _LAYERS) and (f"{name}.weight" if name else "weight") in by_name
    ]
    zero = [row for row in layers if row.initial is not None and row.initial.zeros == 1.0]
    pairs = [row for pair in pairwise(layers) if all(row in zero for row in pair) for row in pair]
    text = "two layers in a row of nothing but zeros: neither gets a gradient; initialise one of them"
    yield from _problem("zero-weights", "warning", pairs, text)
    alike = [
        row for row in layers[:-1] if row.initial is not None and row.initial.rows_alike and row not in zero
    ]
    text = "all rows equal: the units of the layer get the same gradient and stay the same; use a random initialisation"
    yield from _problem("symmetric-initialisation", "warning", alike, text)
    for row in layers:
        scale = row.initial.scale if row.initial is not None else None
        if scale and not 1 / _FAR < scale < _FAR:
            text = (
                f"standard deviation {row.initial.std:.3g} with {row.initial.fan_in} inputs, "  # type: ignore[union-attr]
                f"{scale:.2g} times 1/sqrt(inputs); about 1 is usual"
            )
            yield from _problem("initial-scale", "note", [row], text)
