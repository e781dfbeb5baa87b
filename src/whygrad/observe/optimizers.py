"""Optimizers: their parameter groups, and what each step found and did.

Around every ``step`` the gradients are measured, the parameters copied, and the copies compared and dropped
again. Operations inside a step are not recorded, except those of a closure.
"""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType
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
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder
from whygrad.observe.stats import capturing, checksum, gradient_of, norm_of, numbers, plain

#: For the warnings module: never remember, for this file, that a line has warned. See ``warned``.
__warningregistry__ = None
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, functools.partial)
_OPTIMIZER_FILE = sys.modules[Optimizer.__module__].__file__
_NUMBERS = (bool, int, float)
_COPY_LIMIT = 4 * 2**30  #: bytes of parameters above which updates are judged by checksums alone
_SPARE_LIMIT = 2**28  #: bytes of copies that are kept from one step to the next, to be written again


class Known:
    """One optimizer. Its groups are read again at every step, so that late changes are seen."""

    def __init__(self, optimizer: Any, index: int, stack: int, tick: int) -> None:
        self.ref = weakref.ref(optimizer)
        self.index = index
        self.kind = type(optimizer).__name__
        self.created = stack
        self.tick = tick
        self.steps = 0
        self.base = 0  #: steps of the whole training before its first
        self.groups: tuple[t.Group, ...] = ()


class _Open:
    """A step under way. ``nested``: the same optimizer's step within its step (an overridden one that calls the
    original), which is no other update. ``blind``: nothing of it is measured."""

    def __init__(self, known: Known, closure: bool = False, nested: bool = False) -> None:
        self.known = known
        self.closure = closure
        self.nested = nested
        self.blind = nested
        self.inner: set[int] = (
            set()
        )  #: parameters that another optimizer has stepped meanwhile, within this step
        self.stack = -1
        self.lrs: tuple[float, ...] = ()
        self.params: list[tuple[int, torch.Tensor]] = []
        self.copies: list[torch.Tensor | None] = []
        self.scalars: list[torch.Tensor] = []
        self.has_grad: list[bool] = []


class _Spare:
    """Copies of small models on the CPU from the last step, to be written again: fresh memory costs there several times
    what the copying does."""

    def __init__(self) -> None:
        self._copies: dict[int, torch.Tensor] = {}
        self._bytes = 0

    def copy(self, index: int, data: torch.Tensor) -> torch.Tensor:
        """A copy of a parameter's numbers."""
        spare = self._copies.pop(index, None)
        if spare is not None:
            self._bytes -= spare.nbytes
            if spare.shape == data.shape and spare.dtype is data.dtype and data.is_cpu:
                return spare.copy_(data)
        return data.clone()

    def keep(self, index: int, copy: torch.Tensor | None) -> None:
        """This copy is no longer needed as it is."""
        if type(copy) is not torch.Tensor or not copy.is_cpu or copy.is_inference():
            return
        if index not in self._copies and self._bytes + copy.nbytes <= _SPARE_LIMIT:
            self._copies[index] = copy
            self._bytes += copy.nbytes


class _Running(threading.local):
    """The steps under way in a thread, and how many closures within them."""

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.closures = 0


class Optimizers:
    """All optimizers of the run."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.problems = recorder.problems
        self.known: list[Known] = []
        self.after_step: Callable[[], None] = lambda: None
        #: many passes went by without a step: only steps are measured from now on
        self.expecting = False
        self.around_closure: Callable[[], AbstractContextManager[Any]] = nullcontext
        self._first = 0  #: tick of the first step of all
        self._passes = 0  #: backward passes up to the last step that counted
        self._by_id: dict[int, Known] = {}
        self._spare = _Spare()
        self._running = _Running()
        self._handles: list[RemovableHandle] = []

    def install(self) -> None:
        """Register the global step hooks."""
        # one by one: if the second can't be had, the first is known and can be taken off
        self._handles.append(register_optimizer_step_pre_hook(self._before))
        self._handles.append(register_optimizer_step_post_hook(self._after))

    def remove(self) -> None:
        """Take the hooks off."""
        for handle in self._handles:
            handle.remove()
        self._spare = _Spare()
        self._running = _Running()  # a step that has raised is held until the next one

    def in_step(self) -> bool:
        """Whether a step is under way (then backward runs inside a closure)."""
        self.recover()
        return bool(self._running.open)

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
            held = tuple([i for i, _ in own])
            groups.append(t.Group(held, None if rate is None else float(rate), _options(group)))
            pairs += own
        known.groups = tuple(groups)
        return pairs

    def _index(self, tensor: torch.Tensor) -> int:
        role = "parameter" if isinstance(tensor, torch.nn.Parameter) else "tensor"
        return self.recorder.params.add(tensor, role, -1, self.recorder.tick).index

    # -- steps ---------------------------------------------------------------------------------------

    @guarded("an optimizer before its step", None)
    def _before(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self.recorder.active:
            return None
        self.recover()
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        watched = self._watched(closure)
        running = self._running.open
        if any(step.known.ref() is optimizer for step in running):
            step: _Open | None = _Open(self.find(optimizer), nested=True)
        else:
            step = self._measure_before(optimizer, watched is not None)
        if step is None:
            return None
        running.append(step)
        self.recorder.own.paused += 1
        if watched is None:
            return None
        if len(args) > 1:
            return (args[0], watched, *args[2:]), kwargs
        return args, {**kwargs, "closure": watched}

    def _watched(self, closure: Any) -> Callable[..., Any] | None:
        """The same closure, with recording switched on while it runs; None if it is none.

        Some steps take a model, which can be called too: it is left alone."""
        if not callable(closure) or isinstance(closure, (torch.nn.Module, type)):
            return None

        @functools.wraps(closure)
        def run(*args: Any, **kwargs: Any) -> Any:
            own, running = self.recorder.own, self._running
            paused, own.paused = own.paused, 0
            running.closures += 1
            try:
                with self.around_closure():
                    return closure(*args, **kwargs)
            finally:
                running.closures -= 1
                own.paused = paused

        return run if isinstance(closure, _FUNCTIONS) else _Object(closure, run)

    @guarded("an optimizer after its step", None)
    def _after(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        running = self._running.open
        if running and running[-1].known.ref() is optimizer:
            step = running.pop()
            self.recorder.own.paused -= 1
            if not step.nested:
                self._measure_after(step)
                for outer in running:
                    outer.inner.update([i for i, _ in step.params])
                self.after_step()

    def recover(self) -> None:
        """Drop steps that ended by an exception (no post hook tells of it)."""
        running = self._running
        if not running.open or running.closures:
            return
        frame: FrameType | None = sys._getframe(1)
        count = 0
        while frame is not None:
            count += frame.f_code.co_name == "wrapper" and frame.f_code.co_filename == _OPTIMIZER_FILE
            frame = frame.f_back
        while len(running.open) > count:
            running.open.pop()
            self.recorder.own.paused -= 1

    @guarded("an optimizer before its step", None)
    def _measure_before(self, optimizer: Any, closure: bool) -> _Open | None:
        known = self.find(optimizer)
        step = _Open(known, closure)
        step.stack = self.recorder.stacks.here()
        step.blind = (self.recorder.light and not self.expecting) or capturing()
        with Quiet():
            step.params = self.read_groups(known)
            step.lrs = tuple([float("nan") if g.lr is None else g.lr for g in known.groups])
            if step.blind:
                return step
            copy = sum(p.numel() * p.element_size() for _, p in step.params) < _COPY_LIMIT
            for index, p in step.params:
                self.recorder.params.remember_storage(p, index)
                data = _measurable(p)
                step.copies.append(self._spare.copy(index, data) if copy and data is not None else None)
                step.has_grad.append(gradient_of(p) is not None)
                step.scalars += _scalars(data) + _gradient(p)
        return step

    @guarded("an optimizer after its step", None)
    def _measure_after(self, step: _Open) -> None:
        recorder = self.recorder
        step.known.steps += 1
        if step.known.steps == 1 and recorder.step:
            step.known.base = self._base(step.known)
        if step.known.base + step.known.steps > recorder.step:
            recorder.step = step.known.base + step.known.steps
            self._passes = recorder.passes
            self._first = self._first or recorder.tick
        recorder.tick += 1
        if step.blind:
            self._spare = _Spare()
            recorder.steps.append(t.Step(recorder.tick, step.known.index, step.stack, step.lrs, ()))
            return
        with Quiet():
            scalars = list(step.scalars)
            halves = {i: still for i in range(len(step.params)) if (still := _still(step, i)) is not None}
            for i, (index, p) in enumerate(step.params):
                data, copy = _measurable(p), step.copies[i]
                comparable = data is not None and copy is not None and data.shape == copy.shape
                # in place: to get fresh memory costs more than the arithmetic
                scalars.append(norm_of(copy.sub_(data)) if comparable else _nan())  # type: ignore[union-attr,arg-type]
                # the copy tells whether this step changed anything; bits are compared only where there is no copy
                scalars.append(checksum(data) if data is not None and copy is None else _nan())
                if step.closure:
                    step.has_grad[i] = gradient_of(p) is not None
                    scalars[3 * i + 2] = _gradient(p)[0]
                self._spare.keep(index, copy)
            seen = numbers([*scalars, *halves.values()])
        shares = dict(zip(halves, seen[len(scalars) :], strict=True))
        recorder.steps.append(self._record(step, seen, shares))

    def _base(self, known: Known) -> int:
        """What the first step of an optimizer counts from: one that was made after the training had begun goes on
        from there, within the same iteration if no backward pass has run since the last step of another."""
        if known.created < 0 or known.tick <= self._first:
            return 0
        return self.recorder.step - (self.recorder.passes == self._passes)

    def _record(
        self, step: _Open, seen: list[Any], shares: dict[int, float], skipped: bool = False
    ) -> t.Step:
        count = len(step.params)
        rows = []
        for i, (index, _) in enumerate(step.params):
            if index in step.inner:
                continue
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
                    shares.get(i),
                )
            )
        return t.Step(self.recorder.tick, step.known.index, step.stack, step.lrs, tuple(rows), skipped)

    @guarded("a step skipped by a GradScaler", None)
    def skipped(self, optimizer: Any) -> None:
        """A GradScaler found non-finite gradients and did not call ``step``."""
        step = self._measure_before(optimizer, False)
        if step is None or step.blind:
            return
        self.recorder.tick += 1
        with Quiet():
            scalars = list(step.scalars)
            for i in range(len(step.params)):
                scalars += [torch.zeros(()), scalars[3 * i + 1]]
            seen = numbers(scalars)
        self.recorder.steps.append(self._record(step, seen, {}, skipped=True))


def _options(group: dict[str, Any]) -> dict[str, float]:
    """The plain numbers among a group's hyper-parameters."""
    options = {k: float(v) for k, v in group.items() if type(v) in _NUMBERS and k != "lr"}
    betas = group.get("betas")
    if betas is not None and type(betas) in (tuple, list):
        options |= {f"beta{i}": float(b) for i, b in enumerate(betas, 1) if type(b) in _NUMBERS}
    return options


class _Object:
    """Stands for a closure that is an object: it is called through ``run``, all else is the object's own."""

    def __init__(self, closure: Any, run: Callable[..., Any]) -> None:
        self._closure, self._run = closure, run

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_closure"], name)


def _still(step: _Open, i: int) -> torch.Tensor | None:
    """Which share of the elements with a gradient a step left as they were; only half precision rounds that much away."""
    parameter, copy = step.params[i][1], step.copies[i]
    if copy is None or copy.dtype not in (torch.bfloat16, torch.float16):
        return None
    data, gradient = _measurable(parameter), gradient_of(parameter)
    gradient = _measurable(gradient) if gradient is not None else None
    if data is None or gradient is None or not data.shape == copy.shape == gradient.shape:
        return None
    pushed = gradient != 0
    return ((data == copy) & pushed).sum() / pushed.sum()


def _measurable(p: torch.Tensor) -> torch.Tensor | None:
    try:
        return plain(p)
    except Exception:
        return None  # a foreign subclass


def _scalars(data: torch.Tensor | None) -> list[torch.Tensor]:
    try:
        return [_nan(), _nan()] if data is None else [norm_of(data), checksum(data)]
    except Exception:
        return [_nan(), _nan()]  # a dtype that torch can store and not compute with


def _gradient(p: torch.Tensor) -> list[torch.Tensor]:
    gradient = gradient_of(p)
    return _scalars(_measurable(gradient) if gradient is not None else None)[:1]


def _nan() -> torch.Tensor:
    return torch.full((), float("nan"))


def _whole(number: float) -> int:
    return int(number) if number == number else 0


__all__ = ["Known", "Optimizer", "Optimizers"]
