"""Optimizers: their parameter groups, and what each step found and did.

Around every ``step`` the gradients are measured, the parameters copied, and the copies compared and dropped
again. Operations inside a step are not recorded, except those of a closure.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.hooks import RemovableHandle

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.recorder import Recorder
from whygrad.observe.stats import checksum, norm_of, numbers, plain

_COPY_LIMIT = 4 * 2**30  #: bytes of parameters above which updates are judged by checksums alone


class Known:
    """One optimizer. Its groups are read again at every step, so that late changes are seen."""

    def __init__(self, optimizer: Any, index: int, stack: int, tick: int) -> None:
        self.ref = weakref.ref(optimizer)
        self.index = index
        self.kind = type(optimizer).__name__
        self.created = stack
        self.tick = tick
        self.steps = 0
        self.groups: tuple[t.Group, ...] = ()


class _Open:
    """A step under way."""

    def __init__(self, known: Known, closure: bool) -> None:
        self.known = known
        self.closure = closure
        self.stack = -1
        self.lrs: tuple[float, ...] = ()
        self.params: list[tuple[int, torch.Tensor]] = []
        self.copies: list[torch.Tensor | None] = []
        self.scalars: list[torch.Tensor] = []
        self.has_grad: list[bool] = []


class Optimizers:
    """All optimizers of the run."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.known: list[Known] = []
        self.after_step: Callable[[], None] = lambda: None
        self._by_id: dict[int, Known] = {}
        self._open: list[_Open] = []
        self._closures = 0
        self._handles: list[RemovableHandle] = []

    def install(self) -> None:
        """Register the global step hooks."""
        self._handles = [
            register_optimizer_step_pre_hook(self._before),
            register_optimizer_step_post_hook(self._after),
        ]

    def remove(self) -> None:
        """Take the hooks off."""
        for handle in self._handles:
            handle.remove()

    def in_step(self) -> bool:
        """Whether a step is under way (then backward runs inside a closure)."""
        return bool(self._open)

    def find(self, optimizer: Any, stack: int = -1) -> Known:
        """The entry of an optimizer, made if it is new."""
        known = self._by_id.get(id(optimizer))
        if known is None or known.ref() is not optimizer:
            known = Known(optimizer, len(self.known), stack, self.recorder.tick)
            self.known.append(known)
            self._by_id[id(optimizer)] = known
        return known

    def read_groups(self, known: Known) -> list[tuple[int, torch.Tensor]]:
        """Take over the present groups; returns all their parameters with their indices."""
        optimizer = known.ref()
        pairs: list[tuple[int, torch.Tensor]] = []
        if optimizer is None:
            return pairs
        groups = []
        for group in getattr(optimizer, "param_groups", ()):
            own = [(self._index(p), p) for p in group["params"] if isinstance(p, torch.Tensor)]
            rate = group.get("lr")
            groups.append(t.Group(tuple([i for i, _ in own]), None if rate is None else float(rate)))
            pairs += own
        known.groups = tuple(groups)
        return pairs

    def _index(self, tensor: torch.Tensor) -> int:
        role = "parameter" if isinstance(tensor, torch.nn.Parameter) else "tensor"
        return self.recorder.params.add(tensor, role, -1, self.recorder.tick).index

    # -- steps ---------------------------------------------------------------------------------------

    def _before(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.recover()
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        step = self._measure_before(optimizer, callable(closure))
        if step is None:
            return None
        self._open.append(step)
        self.recorder.paused += 1
        if not callable(closure):
            return None
        watched = self._watched(closure)
        if len(args) > 1:
            return (args[0], watched, *args[2:]), kwargs
        return args, {**kwargs, "closure": watched}

    def _watched(self, closure: Callable[..., Any]) -> Callable[..., Any]:
        """The same closure, with recording switched on while it runs."""

        @functools.wraps(closure)
        def run(*args: Any, **kwargs: Any) -> Any:
            paused, self.recorder.paused = self.recorder.paused, 0
            self._closures += 1
            try:
                return closure(*args, **kwargs)
            finally:
                self._closures -= 1
                self.recorder.paused = paused

        return run

    def _after(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self._open and self._open[-1].known.ref() is optimizer:
            step = self._open.pop()
            self.recorder.paused -= 1
            self._measure_after(step)
            self.after_step()

    def recover(self) -> None:
        """Drop steps that ended by an exception (no post hook tells of it)."""
        if not self._open or self._closures:
            return
        frame: FrameType | None = sys._getframe(1)
        running = 0
        while frame is not None:
            running += frame.f_code.co_name == "wrapper" and frame.f_code.co_filename.endswith("optimizer.py")
            frame = frame.f_back
        while len(self._open) > running:
            self._open.pop()
            self.recorder.paused -= 1

    @guarded("an optimizer before its step", None)
    def _measure_before(self, optimizer: Any, closure: bool) -> _Open | None:
        known = self.find(optimizer)
        step = _Open(known, closure)
        step.stack = self.recorder.stacks.here()
        with torch._C.DisableTorchFunction(), torch.no_grad():
            step.params = self.read_groups(known)
            step.lrs = tuple([float("nan") if g.lr is None else g.lr for g in known.groups])
            if self.recorder.light:
                return step
            copy = sum(p.numel() * p.element_size() for _, p in step.params) < _COPY_LIMIT
            for index, p in step.params:
                self.recorder.params.remember_storage(p, index)
                data = _measurable(p)
                step.copies.append(data.clone() if copy and data is not None else None)
                step.has_grad.append(p.grad is not None)
                step.scalars += _scalars(data) + _gradient(p)
        return step

    @guarded("an optimizer after its step", None)
    def _measure_after(self, step: _Open) -> None:
        recorder = self.recorder
        step.known.steps += 1
        recorder.step = max(recorder.step, step.known.steps)
        recorder.tick += 1
        if recorder.light:
            recorder.steps.append(t.Step(recorder.tick, step.known.index, step.stack, step.lrs, ()))
            return
        with torch._C.DisableTorchFunction(), torch.no_grad():
            scalars = list(step.scalars)
            for i, (_, p) in enumerate(step.params):
                data, copy = _measurable(p), step.copies[i]
                comparable = data is not None and copy is not None and data.shape == copy.shape
                scalars.append(norm_of(data - copy) if comparable else _nan())  # type: ignore[operator]
                # the copy tells whether this step changed anything; bits are compared only where there is no copy
                scalars.append(checksum(data) if data is not None and copy is None else _nan())
                if step.closure:
                    step.has_grad[i] = p.grad is not None
                    scalars[3 * i + 2] = _gradient(p)[0]
        recorder.steps.append(self._record(step, numbers(scalars)))

    def _record(self, step: _Open, seen: list[Any], skipped: bool = False) -> t.Step:
        count = len(step.params)
        rows = []
        for i, (index, _) in enumerate(step.params):
            norm, before, grad = seen[3 * i : 3 * i + 3]
            update, after = seen[3 * count + 2 * i : 3 * count + 2 * i + 2]
            rows.append(
                t.StepParam(
                    index,
                    float(grad) if step.has_grad[i] else None,
                    float(update),
                    float(norm),
                    _whole(before),
                    _whole(after),
                )
            )
        return t.Step(self.recorder.tick, step.known.index, step.stack, step.lrs, tuple(rows), skipped)

    @guarded("a step skipped by a GradScaler", None)
    def skipped(self, optimizer: Any) -> None:
        """A GradScaler found non-finite gradients and did not call ``step``."""
        step = self._measure_before(optimizer, False)
        if step is None or self.recorder.light:
            return
        self.recorder.tick += 1
        scalars = list(step.scalars)
        for i in range(len(step.params)):
            scalars += [torch.zeros(()), scalars[3 * i + 1]]
        self.recorder.steps.append(self._record(step, numbers(scalars), skipped=True))


def _measurable(p: torch.Tensor) -> torch.Tensor | None:
    try:
        return plain(p)
    except Exception:
        return None  # a foreign subclass


def _scalars(data: torch.Tensor | None) -> list[torch.Tensor]:
    return [_nan(), _nan()] if data is None else [norm_of(data), checksum(data)]


def _gradient(p: torch.Tensor) -> list[torch.Tensor]:
    data = _measurable(p.grad) if p.grad is not None else None
    return [_nan() if data is None else norm_of(data)]


def _nan() -> torch.Tensor:
    return torch.full((), float("nan"))


def _whole(number: float) -> int:
    return int(number) if number == number else 0


__all__ = ["Known", "Optimizer", "Optimizers"]
