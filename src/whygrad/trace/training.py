"""What training changes: parameters, optimizers, steps, and the events between them."""

from __future__ import annotations

import msgspec

from whygrad.trace.record import Record


class Flip(Record, frozen=True):
    """``requires_grad`` was set to ``value`` at ``stack``; ``step`` is the number of optimizer steps taken before."""

    tick: int
    step: int
    value: bool
    stack: int


class Param(Record, frozen=True):
    """A tensor that training could change: a Parameter, a buffer, or another leaf tensor (``role``).

    ``fqn`` is its display name; ``root`` names its model, ``owner`` is the class of the module that has it.
    ``registered``: the model's module tree knows it. ``hidden``: how it is reached otherwise
    (``list``, ``dict``, ``object``, ``attribute``; empty if not found).
    ``alive``: it still existed at the end of the window. ``live_name``: it sits in its module under this name now.
    ``frozen_by_default``: the frame of the argument whose default froze it, read from the source (-1: none).
    ``late``: it, or a module that it is in, was put into a module that had been finished before; ``brought``: a module
    that it is in was made elsewhere and handed to the constructor of the one around it.
    ``container``: for a hidden one the attribute that it hides in; ``bound``: the frames, read from the source, that
    fill this attribute.
    ``created``: where it was made; ``assigned``: where it was put into its (or its container's) owner;
    ``written``: the last write to its value before the first backward, by operation ``written_by``.
    ``first`` and ``last``: (L2 norm, greatest absolute value) at the first and last look; None if never looked at.
    ``norm_layer``: its module is a normalisation layer. ``training``: its module's mode at the end.
    ``odd_attributes``: attributes set on it that look like a misspelt ``requires_grad``.
    ``named``: it was found in a model or a variable (others are passing values,
    such as an input that requires grad)."""

    fqn: str
    role: str
    root: str
    owner: str
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    leaf: bool
    registered: bool
    hidden: str = ""
    alive: bool = True
    live_name: bool = True
    created: int = -1
    created_tick: int = 0
    assigned: int = -1
    written: int = -1
    written_by: str = ""
    origin: int = 0
    flips: tuple[Flip, ...] = ()
    first: tuple[float, float] | None = None
    last: tuple[float, float] | None = None
    changed: bool = False
    norm_layer: bool = False
    training: bool = True
    odd_attributes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    value: int = -1
    named: bool = True
    frozen_by_default: int = -1
    late: bool = False
    brought: bool = False
    container: str = ""
    bound: tuple[int, ...] = ()


class Group(Record, frozen=True):
    """A parameter group: indices into ``Trace.params``, the learning rate when last seen, and the group's other plain
    hyper-parameters as numbers (``weight_decay``, ``momentum``, ``eps``; ``betas`` as ``beta1`` and ``beta2``)."""

    params: tuple[int, ...]
    lr: float | None = None
    options: dict[str, float] = msgspec.field(default_factory=dict)


class Optimizer(Record, frozen=True):
    """An optimizer (or a hand-written one, ``torch=False``). ``name`` is the user's variable, if found."""

    kind: str
    name: str
    created: int
    created_tick: int
    groups: tuple[Group, ...]
    steps: int = 0
    torch: bool = True


class StepParam(Record, frozen=True):
    """One parameter at one optimizer step. ``grad``: L2 norm just before (None: ``.grad`` was None);
    ``update``: L2 norm of the change made by the step; ``norm``: L2 norm before it;
    ``before``: checksum of the bits, equal only for equal values; ``after``: the same where ``update`` is nan.
    ``still``: for half-precision parameters the share of the elements with a gradient that the step did not change."""

    param: int
    grad: float | None
    update: float
    norm: float
    before: int
    after: int
    still: float | None = None


class Step(Record, frozen=True):
    """One ``optimizer.step()``; ``skipped`` if a GradScaler left it out."""

    tick: int
    optimizer: int
    stack: int
    lrs: tuple[float, ...]
    params: tuple[StepParam, ...]
    skipped: bool = False


class Event(Record, frozen=True):
    """Anything else that happened. ``kind`` is one of

    ``zero-grad`` (optimizer or module cleared), ``grad-set`` (``p.grad = ...`` or an in-place write to it),
    ``grad-read``, ``clip`` (max_norm, total_norm), ``scale`` / ``unscale`` / ``scaler-step`` / ``scaler-update``
    (scale, found_inf), ``grad-off`` (how: no_grad, inference_mode, set_grad_enabled, decorator), ``write`` (a
    parameter written outside a step), ``overwrite`` (another value that an operation had used was written in place by
    one that is not recorded: op), ``escape`` (a value left torch: how), ``import`` (numbers entered),
    ``hook`` (a gradient hook registered), ``module-requires-grad``, ``scheduler-step``, ``grad-mode``, ``intervened``
    (a proof run did differ).
    ``params`` are parameter indices, ``values`` value ids, ``data`` numbers and names."""

    tick: int
    step: int
    kind: str
    stack: int
    params: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    optimizer: int = -1
    data: dict[str, float | str | bool | None] = msgspec.field(default_factory=dict)


class Unreached(Record, frozen=True):
    """A ``step()`` of an optimizer that stands in the loop's source and never ran: its frame,
    and the frame of the condition around it (-1: none). Both are indices into ``Trace.frames``."""

    optimizer: int
    step: int
    guard: int
    text: str = ""
