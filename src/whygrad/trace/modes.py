"""Training and evaluation mode: who switched it, and in which mode the layers that heed it ran."""

from __future__ import annotations

from whygrad.trace.record import Record


class Switch(Record, frozen=True):
    """``train()`` (``mode`` True) or ``eval()`` of a module of class ``kind``, called ``count`` times at ``stack``, at
    ``tick`` for the last time. ``first`` and ``last``: the optimizer steps (of all
    optimizers together) taken before the first and the last call."""

    mode: bool
    kind: str
    stack: int
    tick: int
    first: int
    last: int
    count: int


class Span(Record, frozen=True):
    """A stretch of optimizer steps, of those that train the layer's model, during which a layer ran in one mode."""

    training: bool
    first: int
    last: int
    steps: int


class Statistics(Record, frozen=True):
    """What a layer with running statistics did to them. ``momentum`` is the weight of a new batch (None: cumulative),
    ``made_with`` that of its construction, ``changed`` the stack of a line that set it later, or of the
    constant that it was made with (-1: none).

    ``calls``: in training mode; ``recorded``: those of them with a gradient; ``single``: those with one sample;
    ``positions``: elements per channel in the last one. ``noise``: root mean square of how far a
    batch's mean lies from that of the batch before, over the square root of two, in standard deviations within a batch
    (None: not measured); ``spread``: the same for variances (differences of their logarithms, in the median channel).

    ``frozen``: the last calls in training mode that gave its parameters no gradient (frozen, or autograd was off), from
    step ``frozen_since`` to ``frozen_until``;
    ``learned``: whether the statistics had been learned before that; ``drift`` and ``scaling``: how far mean and variance
    have moved since (in standard deviations, and by its logarithm)."""

    momentum: float | None
    made_with: float | None
    changed: int = -1
    calls: int = 0
    recorded: int = 0
    single: int = 0
    positions: int = 0
    noise: float | None = None
    spread: float | None = None
    frozen: int = 0
    frozen_since: int = -1
    frozen_until: int = -1
    learned: bool = False
    drift: float | None = None
    scaling: float | None = None


class Layer(Record, frozen=True):
    """A layer that computes differently in training and evaluation: of torch's (``module``, an index into
    ``Learning.modules``), or a functional call at ``place`` within the module ``kind`` (``module`` -1).

    ``what``: ``dropout`` or ``norm``; ``p``: the share that is dropped. ``params``: the parameters of the
    nearest module around it that has any, ``own`` its own; ``root``: the class of its whole model, ``root_training`` that
    model's mode when a step was last taken. ``explicit``: a functional call that says its mode.
    ``train_switch``, ``eval_switch``: indices of the last calls that set its mode, -1: none was seen; ``direct``: the
    last call to ``eval`` was made on this very layer.
    ``without_grad``: calls in training mode with autograd switched off; ``silent`` the first operations of them.
    ``in_eval``: calls in training mode while the module around it was in evaluation mode. ``loose``: a layer that is
    registered in no module, yet called by one. ``misfit``: in evaluation mode while training, how far the running
    statistics are from those of the batch (in standard deviations, or the logarithm of the ratio of variances).
    ``apart``: the call to ``eval`` that put it, with a part of the model, into evaluation mode, ``undone``: the call to
    ``train`` of something around it that put it back since (-1: none), ``ran_apart``: it ran in between."""

    what: str
    kind: str
    module: int
    fqn: str
    place: int
    created: int
    p: float | None
    params: tuple[int, ...]
    own: tuple[int, ...]
    root: str
    root_training: bool
    explicit: bool
    spans: tuple[Span, ...]
    train_switch: int = -1
    eval_switch: int = -1
    direct: bool = False
    without_grad: int = 0
    silent: tuple[int, ...] = ()
    in_eval: int = 0
    loose: bool = False
    misfit: float | None = None
    statistics: Statistics | None = None
    apart: int = -1
    undone: int = -1
    ran_apart: bool = False


class SmallLoader(Record, frozen=True):
    """A DataLoader that gives one sample at a time, and was used; ``created`` is the stack of its construction,
    ``constant`` that of the line which its batch size comes from (-1: the construction itself)."""

    created: int
    used: int
    constant: int = -1


class Modes(Record, frozen=True):
    """All of that. ``evaluates``: somewhere in the script's source ``eval()`` is called on something."""

    switches: tuple[Switch, ...] = ()
    layers: tuple[Layer, ...] = ()
    loaders: tuple[SmallLoader, ...] = ()
    evaluates: bool = False


class Unready(Record, frozen=True):
    """A wrapper made at ``created`` was used at ``used``, after ``steps`` optimizer steps, and was never updated until
    the end. ``kind``: ``average`` (an averaged model without any parameters taken in), ``spectral`` (a spectral norm whose
    vectors are still random; ``off``: how many times too large the weight comes out), ``quantiser`` (a
    fake quantiser whose observer is off and has seen nothing)."""

    kind: str
    created: int
    used: int
    steps: int
    off: float | None = None


class Unapplied(Record, frozen=True):
    """A ``train`` that the script has written itself (at ``stack``), for a module of class ``kind``, freezes something
    and has never run. ``lines``: where it freezes; ``params``: parameters that it would freeze, and that are free; ``norms``:
    layers with running statistics that it would put into evaluation mode, and that are in training mode."""

    stack: int
    kind: str
    lines: tuple[int, ...]
    params: tuple[int, ...]
    norms: int
