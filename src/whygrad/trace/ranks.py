"""What one of several processes that train together shows, so that a comparison of them can tell where they part.

Checksums and numbers only. Two ranks' checksums are equal for equal bits, for they are worked out the same way everywhere.
"""

from __future__ import annotations

import msgspec

from whygrad.trace.record import Record


class Prepared(Record, frozen=True):
    """What a wrapper knew of backward pass number ``backward``, which reached parameters of its module.

    ``synced``: forward passes through the wrapper, since the pass before, for which it was to synchronise gradients;
    ``silent``: those for which it was not (``no_sync``); ``past``: whether its parameters were used past it;
    ``unhooked``: parameters whose gradient it does not hear of any more; ``unknown``: trainable parameters of its module
    that it has never heard of."""

    backward: int
    synced: int
    silent: int
    past: bool = False
    unhooked: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()


class Past(Record, frozen=True):
    """Parameters of a wrapped module were used by operations outside the wrapper's forward pass, ``count`` times, first
    before backward pass ``backward``. ``stack``: the line that called the module, ``inner``: the operation."""

    stack: int
    inner: int
    backward: int
    count: int


class Retyped(Record, frozen=True):
    """``module.to(...)``, ``half()``, ``.data = ...`` or the like took a wrapper's hooks off ``params`` at ``stack``."""

    stack: int
    tick: int
    params: tuple[int, ...]


class Wrapper(Record, frozen=True):
    """A DistributedDataParallel. ``params``: those whose gradients it synchronises, ``ignored``: trainable ones that it
    was told to leave alone; ``options``: its plain options (``find_unused_parameters``, ...); ``world``: the size of its
    group. ``silenced``: where ``no_sync`` was called, or the flag behind it set;
    ``hook``: where a communication hook was registered (-1: nowhere); ``joined``: ``join()`` was used."""

    kind: str
    created: int
    tick: int
    world: int
    options: dict[str, bool]
    params: tuple[int, ...]
    ignored: tuple[int, ...] = ()
    forwards: int = 0
    prepared: tuple[Prepared, ...] = ()
    past: tuple[Past, ...] = ()
    retyped: tuple[Retyped, ...] = ()
    silenced: tuple[int, ...] = ()
    hook: int = -1
    joined: bool = False


class Collective(Record, frozen=True):
    """A call of torch.distributed in which all ranks of a group of ``world`` must take part. ``what``: ``gradient``,
    ``parameter``, ``buffer`` (or memory of theirs, in ``params``), ``like`` (as many numbers as all gradients of a model
    have together), ``number`` (a single one), ``other``; ``count``: elements; ``op``: ``sum``, ``avg``, ...
    ``done``: the call has returned. ``source``: the rank that sends, for a broadcast (-1: none)."""

    name: str
    stack: int
    tick: int
    step: int
    backward: int
    world: int
    what: str
    count: int
    params: tuple[int, ...] = ()
    op: str = ""
    done: bool = False
    source: int = -1


class Sampler(Record, frozen=True):
    """What shares a data set out among ranks, as it was when a pass over it began. ``made``: where it was constructed
    (-1: not seen), ``set_epoch``: how often it was told the epoch by then."""

    kind: str
    made: int
    rows: int
    replicas: int
    rank: int
    seed: int
    epoch: int
    shuffle: bool
    set_epoch: int = 0


class Reading(Record, frozen=True):
    """One pass over a DataLoader: ``loader`` is where it was made, ``stack`` where the pass began, after ``step`` optimizer
    steps. ``chosen``: the indices it has asked for, ``batches`` how many times; ``length``: the batches of a whole pass
    (-1: not known). ``grad``: autograd was on. ``whole``: a ``for`` loop goes through all of
    it, by its source; ``loops``: the first lines of the loops around that, from the outermost inwards, ``rounds`` how often these will
    come to it (0: not known, or no sampler)."""

    loader: int
    stack: int
    step: int
    grad: bool
    rows: int
    length: int
    batches: int
    chosen: tuple[int, ...] = ()
    sampler: Sampler | None = None
    whole: bool = False
    loops: tuple[int, ...] = ()
    rounds: int = 0


class Used(Record, frozen=True):
    """The gradients that a step found (its tick is ``tick``): the sum of the first half of each one's elements, as
    ``LeafGrad.part``."""

    tick: int
    params: tuple[int, ...]
    parts: tuple[float, ...]


class Sketch(Record, frozen=True):
    """A parameter or buffer at one moment: L2 norm, checksum, and products with fixed vectors, by which the distance of
    two of them can be told."""

    param: int
    norm: float
    checksum: int
    products: tuple[float, ...]


class Moment(Record, frozen=True):
    """Sketches of everything, taken when ``steps`` optimizer steps were over."""

    steps: int
    sketches: tuple[Sketch, ...]


class Channels(Record, frozen=True):
    """The statistics by which a BatchNorm layer normalised: means and variances of the first channels, averaged over its
    calls in training mode; ``positions``: elements of one channel in one call."""

    module: int
    calls: int
    positions: int
    means: tuple[float, ...]
    variances: tuple[float, ...]


class Said(Record, frozen=True):
    """What the source says: lines that tell a sampler the epoch; collectives that have not run, in a place that speaks of
    parameters; ``worlds``: divisions by the number of ranks; ``shares``: slices that take every so many-th element;
    ``guarded``: collectives under a condition on the rank;
    ``times``: products with the number of ranks; ``sharding``: calls that share a module out over the ranks."""

    set_epoch: tuple[int, ...] = ()
    collectives: tuple[int, ...] = ()
    worlds: tuple[int, ...] = ()
    shares: tuple[int, ...] = ()
    guarded: tuple[int, ...] = ()
    times: tuple[int, ...] = ()
    sharding: tuple[int, ...] = ()


class Distributed(Record, frozen=True):
    """All of it; absent where torch.distributed was not initialised. ``sharded``: parameters of which each rank holds a
    part of its own, ``tensor_parallel``: some are no FSDP shards. ``collectives`` are bounded, ``calls`` counts all.
    ``averaging``: the source averages parameters now and then, by torch's own means; ``added``: optimizers that were given
    a parameter group later, and where, ``loaded``: or a state. ``idle_samplers``: where samplers were made that no loader
    has, and the length of their data set."""

    rank: int
    world: int
    backend: str
    wrappers: tuple[Wrapper, ...] = ()
    collectives: tuple[Collective, ...] = ()
    calls: int = 0
    readings: tuple[Reading, ...] = ()
    used: tuple[Used, ...] = ()
    first: Moment | None = None
    last: Moment | None = None
    sharded: tuple[int, ...] = ()
    tensor_parallel: bool = False
    channels: tuple[Channels, ...] = ()
    said: Said = msgspec.field(default_factory=Said)
    averaging: bool = False
    added: tuple[tuple[int, int], ...] = ()
    loaded: tuple[tuple[int, int], ...] = ()
    idle_samplers: tuple[tuple[int, int], ...] = ()
