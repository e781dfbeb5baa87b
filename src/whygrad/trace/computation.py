"""The value graph and the autograd graph: operations, values, and what each backward pass found."""

from __future__ import annotations

from whygrad.trace.record import Record


class Frame(Record, frozen=True):
    """A user's frame. ``statement`` is the first line of the statement that ``line`` lies in,
    ``library`` marks code outside the user's own files (only kept where no user frame exists)."""

    file: str
    line: int
    function: str
    code: str = ""
    statement: int = 0
    library: bool = False


class OpKind(Record, frozen=True):
    """What many operations share. ``args`` are the non-tensor arguments, by name or position, as text.
    ``grad_off`` is the index of the event that switched autograd off, -1 if it was on, -2 if off by an unknown hand.
    ``inside`` names the custom autograd Function whose forward ran it."""

    name: str
    stack: int
    args: dict[str, str]
    grad_off: int = -1
    inside: str = ""


class Op(Record, frozen=True):
    """One call. ``ins`` and ``outs`` are value ids; ``seq`` is the autograd sequence number range (first, last]
    of the nodes it made, (-1, -1) if it made none. ``module``: the innermost module of torch's that called it, an index
    into ``Learning.modules`` (-1: the user's own code did)."""

    kind: int
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    tick: int
    seq: tuple[int, int] = (-1, -1)
    seconds: float = 0.0
    module: int = -1


class Value(Record, frozen=True):
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


class Edge(Record, frozen=True):
    """What a backward node handed on: ``to`` is a node index, or -(param + 2) for a leaf, or -1 for an untracked
    leaf; ``peak`` the greatest absolute value (None: no gradient, nan: not finite)."""

    to: int
    peak: float | None


class Node(Record, frozen=True):
    """One node of the autograd graph of a backward pass, ``op`` the operation that made it (-1: unknown).
    ``width``: the number of elements over which a softmax normalises (-1: not a softmax)."""

    name: str
    op: int
    edges: tuple[Edge, ...]
    ran: bool = False
    hooks: int = 0
    width: int = -1


class LeafGrad(Record, frozen=True):
    """The gradient that one backward pass brought to a parameter, before accumulation.
    ``norm`` is its L2 norm, ``peak`` its greatest absolute value, ``zeros`` its share of exact zeros; ``part`` the sum of
    the first half of its elements, where several ranks train together."""

    param: int
    norm: float
    peak: float
    zeros: float = 0.0
    part: float | None = None


class Backward(Record, frozen=True):
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


class Operand(Record, frozen=True):
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


class Probe(Record, frozen=True):
    """A second look at an operation where a gradient was lost, at its next call."""

    op: int
    operands: tuple[Operand, ...]


class Census(Record, frozen=True):
    """The ranges of all values that still existed when a loss that was not finite was given to backward number
    ``backward``, and of the results that autograd had saved."""

    backward: int
    operands: tuple[Operand, ...]
