"""What was observed: the one value that joins observing and diagnosing.

A :class:`Trace` holds only numbers, names and places, never a tensor's contents. It is written as
gzip-compressed msgpack and read back with every type checked. Nothing here imports torch.

Times are ticks: one counter over operations and events, so that ``a.tick < b.tick`` says what came first.
Places are stacks: indices into ``Trace.stacks``, each the user's frames, innermost first. -1: unknown.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import zlib
from pathlib import Path

import msgspec

#: 1: first format (2026-11).
FORMAT = 1
_MAGIC = "whygrad.trace"

#: Where a tensor's value came from: bits of ``Value.origin`` and ``Param.origin``.
RANDOM, CONSTANT, LOADED, DATA, INIT, PARAMETER = 1, 2, 4, 8, 16, 32
ZEROS = 64


class TraceError(Exception):
    """A record could not be read or written; the text is one sentence for the user."""


class _Record(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of everything in a trace: immutable, stored as an array."""


class Frame(_Record, frozen=True):
    """A user's frame. ``statement`` is the first line of the statement that ``line`` lies in,
    ``library`` marks code outside the user's own files (only kept where no user frame exists)."""

    file: str
    line: int
    function: str
    code: str = ""
    statement: int = 0
    library: bool = False


class OpKind(_Record, frozen=True):
    """What many operations share. ``args`` are the non-tensor arguments, by name or position, as text.
    ``grad_off`` is the index of the event that switched autograd off, -1 if it was on, -2 if off by an unknown hand.
    ``inside`` names the custom autograd Function whose forward ran it."""

    name: str
    stack: int
    args: dict[str, str]
    grad_off: int = -1
    inside: str = ""


class Op(_Record, frozen=True):
    """One call. ``ins`` and ``outs`` are value ids; ``seq`` is the autograd sequence number range (first, last]
    of the nodes it made, (-1, -1) if it made none."""

    kind: int
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    tick: int
    seq: tuple[int, int] = (-1, -1)
    seconds: float = 0.0


class Value(_Record, frozen=True):
    """One tensor as it came out of ``op`` (-1: it was there before anything was seen of it).
    ``param`` is the index into ``Trace.params`` if it is one (-1: not), ``origin`` a set of bits (RANDOM, ...),
    ``imports`` the stacks where Python numbers entered its history. ``low`` and ``high``: the range of integers that
    were copied from the CPU to another device."""

    op: int
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    leaf: bool = True
    param: int = -1
    origin: int = 0
    imports: tuple[int, ...] = ()
    created: int = -1
    low: float | None = None
    high: float | None = None


class Flip(_Record, frozen=True):
    """``requires_grad`` was set to ``value`` at ``stack``; ``step`` is the number of optimizer steps taken before."""

    tick: int
    step: int
    value: bool
    stack: int


class Param(_Record, frozen=True):
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


class Group(_Record, frozen=True):
    """A parameter group: indices into ``Trace.params`` and the learning rate when last seen."""

    params: tuple[int, ...]
    lr: float | None = None


class Optimizer(_Record, frozen=True):
    """An optimizer (or a hand-written one, ``torch=False``). ``name`` is the user's variable, if found."""

    kind: str
    name: str
    created: int
    created_tick: int
    groups: tuple[Group, ...]
    steps: int = 0
    torch: bool = True


class StepParam(_Record, frozen=True):
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


class Step(_Record, frozen=True):
    """One ``optimizer.step()``; ``skipped`` if a GradScaler left it out."""

    tick: int
    optimizer: int
    stack: int
    lrs: tuple[float, ...]
    params: tuple[StepParam, ...]
    skipped: bool = False


class Edge(_Record, frozen=True):
    """What a backward node handed on: ``to`` is a node index, or -(param + 2) for a leaf, or -1 for an untracked
    leaf; ``peak`` the greatest absolute value (None: no gradient, nan: not finite)."""

    to: int
    peak: float | None


class Node(_Record, frozen=True):
    """One node of the autograd graph of a backward pass, ``op`` the operation that made it (-1: unknown).
    ``width``: the number of elements over which a softmax normalises (-1: not a softmax)."""

    name: str
    op: int
    edges: tuple[Edge, ...]
    ran: bool = False
    hooks: int = 0
    width: int = -1


class LeafGrad(_Record, frozen=True):
    """The gradient that one backward pass brought to a parameter, before accumulation.
    ``norm`` is its L2 norm, ``peak`` its greatest absolute value, ``zeros`` its share of exact zeros."""

    param: int
    norm: float
    peak: float
    zeros: float = 0.0


class Backward(_Record, frozen=True):
    """One call of ``backward`` (``kind`` "backward") or ``torch.autograd.grad`` ("grad").
    ``losses`` are value ids, ``loss`` the first one's number; ``reached`` the parameters in its graph;
    ``raised`` autograd's own message if it failed."""

    tick: int
    kind: str
    stack: int
    losses: tuple[int, ...]
    loss: float | None
    reached: tuple[int, ...]
    grads: tuple[LeafGrad, ...]
    nodes: tuple[Node, ...] = ()
    seconds: float = 0.0
    raised: str = ""
    in_step: bool = False


class Event(_Record, frozen=True):
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
    data: dict[str, float | str | bool | None] = {}


class Operand(_Record, frozen=True):
    """What a look at a tensor saw: range of the finite values, share of exact zeros, non-finite count, NaN among them.
    ``place`` is ``in`` or ``out``, ``position`` its number, ``value`` its value id."""

    place: str
    position: int
    value: int
    low: float
    high: float
    zeros: float
    nonfinite: int
    nan: int = 0


class Probe(_Record, frozen=True):
    """A second look at an operation where a gradient was lost, at its next call."""

    op: int
    operands: tuple[Operand, ...]


class Census(_Record, frozen=True):
    """The ranges of all values that still existed when a loss that was not finite was given to backward number
    ``backward``, and of the results that autograd had saved."""

    backward: int
    operands: tuple[Operand, ...]


class Unreached(_Record, frozen=True):
    """A ``step()`` of an optimizer that stands in the loop's source and never ran: its frame,
    and the frame of the condition around it (-1: none). Both are indices into ``Trace.frames``."""

    optimizer: int
    step: int
    guard: int
    text: str = ""


class Given(_Record, frozen=True):
    """A tensor that was given to the call that raised. ``name`` is the argument's, ``value`` its id (-1: none),
    ``param`` the index into ``Trace.params`` (-1: not one), ``created`` where it was made. ``low`` and ``high``: its
    range, where that matters (an index, a target, an operand of what made NaN) and could be read."""

    name: str
    value: int
    param: int
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    leaf: bool
    created: int = -1
    low: float | None = None
    high: float | None = None


class Raised(_Record, frozen=True):
    """The exception that ended the script. ``call`` names the torch function (or the method of torch's) that raised it,
    ``tensors`` are what it was given, ``args`` its other arguments, as text. ``optimizer`` is the one it concerns.
    ``saver``: for a saved tensor that was modified, the operation that had saved it."""

    type: str
    message: str
    stack: int
    call: str = ""
    tensors: tuple[Given, ...] = ()
    args: dict[str, str] = {}
    optimizer: int = -1
    saver: int = -1


class LossCall(_Record, frozen=True):
    """The calls of the loss function ``name`` at ``stack``, one mean value a backward pass of ``passes``; ``right``: the
    share of samples put in their class. ``weight``: how much its value counts in the loss. ``guess``: the loss of the
    best answer that ignores the input (None: not known), ``floor`` that of a perfect one, ``uniform`` of equal
    probabilities for ``classes`` classes."""

    name: str
    stack: int
    weight: float
    guess: float | None
    floor: float
    uniform: float | None
    classes: int
    passes: tuple[int, ...]
    values: tuple[float, ...]
    right: tuple[float | None, ...] = ()


class Moved(_Record, frozen=True):
    """How far a parameter went over the whole run: L2 norm of last minus first value, and of the first value."""

    param: int
    change: float
    norm: float


class Overfit(_Record, frozen=True):
    """A run of ``--overfit`` for up to ``steps`` steps. ``batch``: ``loader`` (the DataLoaders repeated theirs), ``held``
    (it was held where it meets the parameters), ``same`` (the script reads the same at every pass), ``changing`` (it
    could not be repeated, for the reason ``why``), ``looking`` (not decided yet).
    ``changing``: where something that enters was seen to change. ``noise``: random numbers are drawn at every pass.
    ``losses`` and ``places``: the loss and the stack of every backward pass; ``whole``: whether it had that batch.
    ``share``: how much of the first loss the ``calls`` make."""

    steps: int
    batch: str
    why: str
    changing: int
    noise: bool
    losses: tuple[float, ...]
    places: tuple[int, ...]
    whole: tuple[bool, ...]
    share: float | None
    calls: tuple[LossCall, ...] = ()
    moved: tuple[Moved, ...] = ()


class Trace(_Record, frozen=True):
    """One observed run. ``ended``: ``steps`` (the window was full), ``end`` (the script was over), ``exit``,
    ``raised``, ``interrupted``. ``problems``: what could not be seen, and why, one sentence each."""

    script: str
    argv: tuple[str, ...]
    environment: dict[str, str | int]
    ended: str
    seconds: float
    frames: tuple[Frame, ...] = ()
    stacks: tuple[tuple[int, ...], ...] = ()
    params: tuple[Param, ...] = ()
    optimizers: tuple[Optimizer, ...] = ()
    kinds: tuple[OpKind, ...] = ()
    ops: tuple[Op, ...] = ()
    values: tuple[Value, ...] = ()
    backwards: tuple[Backward, ...] = ()
    steps: tuple[Step, ...] = ()
    events: tuple[Event, ...] = ()
    probes: tuple[Probe, ...] = ()
    unreached: tuple[Unreached, ...] = ()
    raised: Raised | None = None
    problems: tuple[str, ...] = ()
    exit_status: int = 0
    cwd: str = ""
    seen_ops: int = 0
    censuses: tuple[Census, ...] = ()
    hand_steps: int = 0
    overfit: Overfit | None = None

    def step_count(self) -> int:
        """Steps of the optimizer that stepped most; hand-written updates count as steps where none stepped."""
        return max((o.steps for o in self.optimizers), default=0) or self.hand_steps


def save(trace: Trace, path: Path) -> None:
    """Write ``trace`` to ``path`` through a temporary file beside it, so that a record is whole or absent.

    Raises TraceError where the folder can't be written."""
    data = gzip.compress(msgspec.msgpack.encode((_MAGIC, FORMAT, trace)), compresslevel=1)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise TraceError(f"The record could not be written to {path}: {error.strerror or error}.") from error


def load(path: Path) -> Trace:
    """Read a record. Raises TraceError, with what to do, if it is absent, cut short, newer, or not ours."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TraceError(f"No record could be read at {path}: {error.strerror or error}.") from error
    try:
        magic, version = msgspec.msgpack.decode(
            data := gzip.decompress(raw), type=tuple[str, int, msgspec.Raw]
        )[:2]
    except (EOFError, zlib.error) as error:
        raise TraceError(f"{path} is cut short or damaged; run the script again under whygrad.") from error
    except (OSError, msgspec.MsgspecError) as error:
        raise TraceError(f"{path} is not a whygrad record; give a file that `whygrad run` wrote.") from error
    if magic != _MAGIC:
        raise TraceError(f"{path} is not a whygrad record; give a file that `whygrad run` wrote.")
    if version != FORMAT:
        hint = "update whygrad to read it" if version > FORMAT else "run the script again under whygrad"
        raise TraceError(f"{path} has record format {version}, this whygrad reads format {FORMAT}; {hint}.")
    try:
        return msgspec.msgpack.decode(data, type=tuple[str, int, Trace])[2]
    except msgspec.MsgspecError as error:
        raise TraceError(f"{path} is damaged ({error}); run the script again under whygrad.") from error
