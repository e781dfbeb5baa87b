"""``--overfit`` at work: the same batch at every pass, the loss at each, and how far the parameters went.

It stands where an intervention stands (see ``change``), with a function mode of its own on top of the observing one.
After the window of an ordinary run the observer watches lightly; what is kept here is cheap enough for every pass.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from whygrad import trace as t
from whygrad.observe.guard import guarded
from whygrad.observe.holding import Holding
from whygrad.observe.losses import Losses
from whygrad.observe.modules import Modules
from whygrad.observe.movement import Movement
from whygrad.observe.names import Category, Function, classify
from whygrad.observe.optimizers import Optimizers
from whygrad.observe.patching import Patches
from whygrad.observe.pinning import Loaders
from whygrad.observe.quiet import Quiet
from whygrad.observe.recorder import Recorder, tensors_in
from whygrad.observe.threads import Modes

_SEEN = (Category.OP, Category.CREATE, Category.INPLACE, Category.BACKWARD)
_CHANCES = {
    "rand",
    "randn",
    "rand_like",
    "randn_like",
    "normal",
    "bernoulli",
    "normal_",
    "uniform_",
    "bernoulli_",
}


class _Mode(TorchFunctionMode):
    def __init__(self, run: Overfitting) -> None:
        super().__init__()
        self._run = run

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return self._run.call(func, args, kwargs or {})


class Overfitting:
    """Everything installed for ``--overfit``, with the methods of ``change.Change``."""

    def __init__(self, recorder: Recorder, optimizers: Optimizers, modules: Modules, steps: int) -> None:
        self.recorder, self.modules, self.steps = recorder, modules, steps
        self.problems = recorder.problems
        self.loaders = Loaders(recorder)
        self.holding = Holding(recorder, optimizers, self._fed)
        self.losses = Losses(recorder)
        self.movement = Movement(recorder)
        self._patches = Patches()
        self._modes = Modes(recorder, lambda: _Mode(self))
        self._functions: dict[Any, Function] = {}
        self._given = 0  #: batches that DataLoaders had given before this pass
        self._whole: list[bool] = []  #: for each pass whether it had the whole batch
        self._noise = False
        self._unscaled: tuple[weakref.ref[torch.Tensor], torch.Tensor] | None = None

    def install(self) -> None:
        """Begin to pin; before the observer's own patches."""
        self.loaders.install(self._patches)
        self._patches.around(torch.amp.GradScaler, "scale", after=self._scaled)

    def enter(self) -> None:
        """After the observer's mode was entered."""
        self._modes.install()

    def leave(self) -> None:
        """Before the observer's mode is left."""
        self._modes.remove()
        self.losses.release()

    def remove(self) -> None:
        """After the observer's patches are gone."""
        self._patches.undo()

    def _fed(self) -> bool:
        return self.loaders.given > self._given

    # -- calls ---------------------------------------------------------------------------------------

    def call(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """One call of the script's."""
        recorder = self.recorder
        function = self._function(func) if recorder.active and not recorder.own.paused else None
        if function is None or function.category not in _SEEN:
            return func(*args, **kwargs)
        if function.category is Category.BACKWARD:
            return self._backward(func, args, kwargs)
        if not self._noise:
            self._draws(function, args, kwargs)
        if function.category is not Category.OP:
            return func(*args, **kwargs)
        held = self.holding.given(function.name, args, kwargs)
        if held is not None:
            try:
                result = func(*held[0], **held[1])
            except Exception as error:
                self.holding.give_up(error)
            else:
                self.losses.called((func, *held), result)
                return result
        result = func(*args, **kwargs)
        self.losses.called((func, args, kwargs), result)
        return result

    @guarded("the kind of a call", None)
    def _function(self, func: Callable[..., Any]) -> Function:
        try:
            known = self._functions.get(func)
        except TypeError:  # a callable of the user's that goes through the protocol may be unhashable
            return classify(func)
        if known is None:
            known = self._functions[func] = classify(func)
        return known

    @guarded("random numbers", None)
    def _draws(self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Whether the passes draw random numbers, which keep a loss from falling to its floor."""
        if "dropout" in function.name:
            rate = args[1] if len(args) > 1 else kwargs.get("p", 0.5)
            self._noise = bool(rate and (args[2] if len(args) > 2 else kwargs.get("training", True)))
        elif self._whole:
            self._noise = function.name in _CHANCES

    # -- passes --------------------------------------------------------------------------------------

    @guarded("GradScaler.scale", None)
    def _scaled(self, token: Any, result: Any, scaler: Any, outputs: Any) -> None:
        if isinstance(outputs, torch.Tensor) and isinstance(result, torch.Tensor):
            with Quiet():
                self._unscaled = (weakref.ref(result), outputs.detach().clone())

    def _backward(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = func(*args, **kwargs)
        self._end_of_pass(args, kwargs)
        return result

    @guarded("a backward pass", None)
    def _end_of_pass(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        losses = tensors_in(args[:1] or [kwargs.get("tensors"), kwargs.get("self")])
        if not losses:
            return
        with Quiet():
            raw = losses[0].detach().sum()
            before = self._unscaled
            scaled = before is not None and before[0]() is losses[0]
            self.losses.end_of_pass(before[1].sum() if scaled and before is not None else raw, raw)
            self._whole.append(self.holding.pure)
            self.holding.end_of_pass()
        self._given, self._unscaled = self.loaders.given, None

    def before_first_backward(self, frame: FrameType) -> None:
        """Remember where the parameters are."""
        self.movement.begin()

    def after_backward(self) -> None:
        """Nothing is done then."""

    @guarded("how far the parameters went", None)
    def note(self) -> None:
        """The window is over."""
        self.movement.end()

    # -- the record ----------------------------------------------------------------------------------

    def record(self) -> t.Overfit:
        """What was seen so far."""
        holding = self.holding
        with Quiet():
            if not self.recorder.active:
                holding.decide(last=True)
            count = len(self.losses.stacks)
            return t.Overfit(
                steps=self.steps,
                batch=holding.state,
                why=holding.why,
                changing=holding.changing,
                noise=self._noise or self._drops(),
                losses=self.losses.totals(),
                places=tuple(self.losses.stacks),
                whole=tuple([self._counts(number) for number in range(count)]),
                share=self.losses.share,
                calls=self.losses.calls(),
                moved=self.movement.moved,
            )

    def _counts(self, number: int) -> bool:
        """Whether a pass had the batch: with one that is held, the first pass, and those after the decision."""
        holding = self.holding
        if holding.state != "held":
            return True
        return number == holding.reference or (number > holding.decided and self._whole[number])

    def _drops(self) -> bool:
        """Whether a module drops values at random (some do so where no call shows it, such as recurrent layers)."""
        live = [m for placed in self.modules.placed if (m := placed.ref()) is not None and m.training]
        rates = [getattr(m, name, 0.0) for m in live for name in ("dropout", "p")]
        return any(isinstance(rate, float) and rate > 0 for rate in rates)
