"""The loss at every backward pass, and the calls of loss functions that it was made of.

How much a call counts in the loss is read off the gradient that arrives at its result in the first passes. After that
a pass costs one copied number for each call; nothing is waited for until the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.levels import Level, known, level, share_right
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder, unfollowed
from whygrad.observe.stats import numbers

_TRIES = 6  #: passes after which a call that never counted is left alone

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Place:
    """The calls of one loss function at one place. ``weight`` is None until a gradient has told it."""

    def __init__(self, name: str, stack: int) -> None:
        self.name, self.stack = name, stack
        self.weight: float | None = None
        self.level: Level | None = None
        self.tries = 0
        self.passes: list[int] = []
        self.values: list[torch.Tensor] = []
        self.right: list[torch.Tensor | None] = []


class _Made:
    """The result of one call, until its backward pass is over."""

    def __init__(self, place: Place, value: torch.Tensor, right: torch.Tensor | None) -> None:
        self.place, self.value, self.right = place, value, right
        self.level: Level | None = None
        self.gradients: list[torch.Tensor] = []
        self.handle: RemovableHandle | None = None

    def arrived(self, gradient: torch.Tensor) -> None:
        """Called by autograd with the gradient of the result."""
        with Quiet():
            self.gradients.append(gradient.detach().sum())


class Losses:
    """Keeps them, as small tensors on their devices; :meth:`calls` and :meth:`totals` read them all at once."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.stacks: list[int] = []
        self.share: float | None = (
            None  #: how much of the loss the known calls make, in the first pass that tells
        )
        self._totals: list[torch.Tensor] = []
        self._places: dict[tuple[int, str], Place] = {}
        self._made: list[_Made] = []

    @guarded("a loss function", None)
    def called(self, call: Call, result: Any) -> None:
        """A function has returned. Ignored unless it is a loss function whose result can be trained on."""
        if not known(call[0]) or not isinstance(result, torch.Tensor) or not result.requires_grad:
            return
        if unfollowed(self.problems):
            return
        key = (self.recorder.stacks.here(), call[0].__name__)
        place = self._places.setdefault(key, Place(key[1], key[0]))
        if place.tries >= _TRIES:
            return
        measured = place.weight is not None
        with Quiet():
            value = result.detach().mean(
                dtype=torch.float64 if result.dtype is torch.float64 else torch.float32
            )
            one = _Made(place, value, _right(call))
            self._made.append(one)
            if not measured and not self._moves(call):
                one.level = _level(call)
            if not measured:
                one.handle = result.register_hook(one.arrived)

    def _moves(self, call: Call) -> bool:
        """Whether the target itself comes from parameters: then there is no level to compare with."""
        target = call[1][1] if len(call[1]) > 1 else call[2].get("target")
        note = self.recorder.values.get(target) if isinstance(target, torch.Tensor) else None
        return isinstance(target, torch.Tensor) and (
            target.requires_grad or (note is not None and note.carries)
        )

    @guarded("the loss of a backward pass", None)
    def end_of_pass(self, total: torch.Tensor, raw: torch.Tensor) -> None:
        """A backward pass from ``raw`` is over; ``total`` is the same before a GradScaler multiplied it."""
        number = len(self.stacks)
        self.stacks.append(self.recorder.stacks.here())
        self._totals.append(total)
        by_place: dict[Place, list[_Made]] = {}
        for made in self._made:
            by_place.setdefault(made.place, []).append(made)
        self._made = []
        share = 0.0
        for place, all_made in by_place.items():
            fresh = place.weight is None
            if fresh:
                self._weigh(place, all_made)
            if place.weight is not None:
                place.passes.append(number)
                place.values.append(torch.stack([m.value for m in all_made]).mean())
                right = [m.right for m in all_made if m.right is not None]
                place.right.append(torch.stack(right).mean() if right else None)
                share += float(place.values[-1]) * place.weight if fresh else 0.0
        whole = float(raw) if share and self.share is None else 0.0
        if whole:
            self.share = share / whole

    @staticmethod
    def _weigh(place: Place, all_made: list[_Made]) -> None:
        place.tries += 1
        gradients = [g for made in all_made for g in made.gradients]
        for made in all_made:
            if made.handle is not None:
                made.handle.remove()
        levels = [made.level for made in all_made]
        if gradients:
            place.weight = sum(float(g) for g in gradients)
            told = [one for one in levels if one is not None]
            place.level = _average(told) if len(told) == len(levels) else None

    def release(self) -> None:
        """Take off what hooks there still are."""
        for made in self._made:
            if made.handle is not None:
                made.handle.remove()
        self._made = []

    def totals(self) -> tuple[float, ...]:
        """The loss at every backward pass."""
        return tuple(map(float, numbers(self._totals)))

    def calls(self) -> tuple[t.LossCall, ...]:
        """The calls that counted, place by place."""
        return tuple(_record(place) for place in self._places.values() if place.weight)


def _level(call: Call) -> Level | None:
    try:
        return level(*call)
    except Exception:
        return None  # as below


def _right(call: Call) -> torch.Tensor | None:
    try:
        return share_right(*call)
    except Exception:
        return None  # scores and target that do not go together in any way known here


def _average(levels: list[Level]) -> Level:
    count = len(levels)
    uniform = [one.uniform for one in levels if one.uniform is not None]
    return Level(
        sum(one.guess for one in levels) / count,
        sum(one.floor for one in levels) / count,
        sum(uniform) / count if len(uniform) == count else None,
        levels[0].classes,
    )


def _record(place: Place) -> t.LossCall:
    told = [r for r in place.right if r is not None]
    right = iter(numbers(told))
    one = place.level
    return t.LossCall(
        name=place.name,
        stack=place.stack,
        weight=place.weight or 0.0,
        guess=None if one is None else one.guess,
        floor=0.0 if one is None else one.floor,
        uniform=None if one is None else one.uniform,
        classes=0 if one is None else one.classes,
        passes=tuple(place.passes),
        values=tuple(map(float, numbers(place.values))),
        right=tuple(None if r is None else float(next(right)) for r in place.right),
    )
