"""``whygrad.check()`` and ``whygrad.assert_trains()``: a few steps on one small batch, and what they show."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import Any

import torch

from whygrad import trace as t
from whygrad.api.batches import Step, default_optimizer, inputs_of, known, loss_of, step_on
from whygrad.api.holding import Held
from whygrad.api.places import unseen
from whygrad.api.probing import doubled, functions_checked, mixed
from whygrad.api.reach import named_in
from whygrad.api.recording import Recording
from whygrad.finding import Report, Severity
from whygrad.merging import RANK
from whygrad.proving.intervention import Intervention
from whygrad.render import renderer

#: What is true of every check, because it repeats one batch.
_OF_COURSE = ("same-batch-every-step",)


def check(  # noqa: PLR0913  (all but the first four by name)
    model: torch.nn.Module | Step,
    loss_fn: Callable[..., torch.Tensor] | None = None,
    batch: Any = None,
    optimizer: torch.optim.Optimizer | None = None,
    *,
    steps: int = 3,
    overfit: int = 0,
    gradcheck: bool = False,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Report:
    """Train a few steps on one batch under observation, and say which parameters do not train, and why.

    Afterwards everything is bit for bit as it was: parameters, buffers (BatchNorm's statistics too), gradients,
    optimizers, schedulers, GradScalers, and the random states of Python, NumPy and torch.

    Args:
        model: the model. Or a training step of your own, a function without arguments that computes a loss, calls
            ``backward()`` and steps its optimizers: for several inputs, losses or optimizers. What it changes is found
            in its closure, its object and the globals that it names.
        loss_fn: ``loss_fn(model(*inputs), target)`` gives a scalar; for a dict as batch ``loss_fn(model(**batch), batch)``.
            None: the model's output is the loss, or has it as ``.loss`` or under ``"loss"``.
        batch: a tuple or list whose last item is the target and the others the inputs, a dict, or one input.
            A small one is enough: 8 samples, say.
        optimizer: the one that is to train the model. Default: Adam, lr 1e-3, over the parameters of the model (and of the
            loss function, if it is a module); Adagrad if the model has sparse gradients.
        steps: optimizer steps to take, at least 2 (what is zero in the first step may not be in the second).
        overfit: train up to so many steps (200, say) and ask whether the batch can be learned by heart; 0: do not ask.
        gradcheck: run ``torch.autograd.gradcheck`` on every custom autograd Function that is applied, in double precision.
        select: only the rules of these slugs.
        ignore: all rules but these.

    Of a model (not of a step) two more things are asked: does the output of a sample depend on the input of another one,
    and is the first loss what a model that knows nothing should get.

    Returns:
        The report: ``print(report)`` shows it; ``report.verdict`` is ``"trains"`` if all is well.

    Raises:
        UsageError: if the step takes arguments, no batch (or a DataLoader) was given, or nothing requires grad.
        Whatever the model, the loss function or the step raise, once everything has been put back.

    >>> import torch, whygrad
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    >>> batch = torch.randn(8, 4), torch.randint(0, 2, (8,))
    >>> whygrad.check(model, torch.nn.functional.cross_entropy, batch).verdict
    'trains'
    """
    known(model, loss_fn, batch, steps)
    own = model if isinstance(model, torch.nn.Module) else None
    if own is not None:
        held = Held([own, optimizer, loss_fn], gradients=False)
        step = step_on(
            own, loss_fn, batch, optimizer if optimizer is not None else default_optimizer(own, loss_fn)
        )
        ignore = (*ignore, *_OF_COURSE)
    else:
        held, step = Held(named_in(model)), model
    change = Intervention("overfit", "the first batch at every pass") if overfit else None
    recording = Recording(getattr(model, "__name__", type(model).__name__), overfit or None, change)
    try:
        if own is not None:
            held.clear_gradients()
        with recording:
            for _ in range(max(steps, overfit)):
                if not recording.full:
                    step()
        if own is not None:
            held.restore_models()
            held.clear_gradients()
            recording.add(_asked(own, loss_fn, batch, gradcheck))
        elif gradcheck:
            held.restore()
            with unseen():
                recording.add(t.Checked(functions=functions_checked(step), of_step=True))
    finally:
        held.restore()
    return recording.report(select, ignore)


def _asked(model: torch.nn.Module, loss_fn: Any, batch: Any, functions: bool) -> t.Checked:
    """What needs the model to be run again."""
    args, kwargs, _ = inputs_of(batch, loss_fn)

    def in_double() -> None:
        try:
            loss_of(copy.deepcopy(model).double(), loss_fn, doubled(batch))
        except Exception:  # not every model can be copied, or has nothing of single precision inside
            loss_of(model, loss_fn, batch)

    with unseen():
        seen = mixed(model, args, kwargs)
        checked = functions_checked(in_double) if functions else ()
    place = _forward_of(model, seen.module) if seen.mixed else None
    return t.Checked(*seen[:4], functions=checked, module=seen.module, place=place)


def _forward_of(model: torch.nn.Module, name: str) -> tuple[str, int, str] | None:
    """The forward of the module, or of the nearest one around it whose class is the user's."""
    while True:
        module = model.get_submodule(name)
        code = type(module).forward.__code__
        if not type(module).__module__.startswith("torch.") or not name:
            return code.co_filename, code.co_firstlineno, f"{type(module).__name__}.forward"
        name = name.rpartition(".")[0]


def assert_trains(  # noqa: PLR0913  (as check)
    model: torch.nn.Module | Step,
    loss_fn: Callable[..., torch.Tensor] | None = None,
    batch: Any = None,
    optimizer: torch.optim.Optimizer | None = None,
    *,
    steps: int = 3,
    overfit: int = 0,
    gradcheck: bool = False,
    fail_on: Severity = "error",
    select: Collection[str] = (),
    ignore: Collection[str] = (),
) -> None:
    """Assert that every parameter that is meant to train does: :func:`check`, as an assertion for tests.

    Args:
        model: as for :func:`check`, like all the others.
        loss_fn: see there.
        batch: see there.
        optimizer: see there.
        steps: see there.
        overfit: see there.
        gradcheck: see there.
        fail_on: ``"error"``, or ``"warning"`` to fail on what is likely too.
        select: see there.
        ignore: see there.

    Raises:
        AssertionError: if something of this severity was found, or nothing could be seen to train. Its text is the
            report as the terminal shows it.

    >>> import torch, whygrad
    >>> model = torch.nn.Linear(4, 1)
    >>> batch = torch.randn(8, 4), torch.randn(8, 1)
    >>> whygrad.assert_trains(model, torch.nn.functional.mse_loss, batch)
    """
    report = check(
        model,
        loss_fn,
        batch,
        optimizer,
        steps=steps,
        overfit=overfit,
        gradcheck=gradcheck,
        select=select,
        ignore=ignore,
    )
    text = failure(report, fail_on)
    if text:
        raise AssertionError(text)


def failure(report: Report, fail_on: Severity = "error") -> str:
    """The report as text if it must fail a test, else nothing."""
    bad = any(RANK[f.severity] <= RANK[fail_on] and not f.suppressed for f in report.findings)
    bad = bad or report.verdict == "incomplete"
    return "\n" + renderer("terminal")(report) if bad else ""
