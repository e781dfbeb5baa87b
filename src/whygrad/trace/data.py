"""What the data looked like on their way to the model: loaders, batches, and what met the parameters and the loss."""

from __future__ import annotations

from whygrad.trace.record import Record


class Loader(Record, frozen=True):
    """A DataLoader. ``sampler`` is the class that chooses the items, ``rows`` the length of its dataset and ``batches``
    its own (-1: none). ``seeded``: it has a ``worker_init_fn``. Read from the source of its dataset: ``items`` where an
    item is returned, ``random`` where generators of random numbers that it holds are made, ``reseeds`` where an item
    sets a seed that is always the same, ``buffers`` where an array that it keeps is handed out and written, ``files_apart``
    where two lists of the same files in different orders are filled (-1: nowhere), ``worker_seeds`` where its
    ``worker_init_fn`` sets a seed that is the same in every worker."""

    kind: str
    created: int
    dataset: str
    sampler: str
    workers: int
    rows: int
    batches: int
    iterable: bool = False
    seeded: bool = False
    persistent: bool = False
    items: tuple[int, ...] = ()
    random: tuple[int, ...] = ()
    reseeds: tuple[int, ...] = ()
    buffers: tuple[int, ...] = ()
    files_apart: int = -1
    worker_seeds: tuple[int, ...] = ()


class Field(Record, frozen=True):
    """One tensor of a batch. ``content`` is a number, the same for equal contents; ``distinct`` counts its different
    rows; ``varied``: it holds at least eight different numbers."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    content: int
    distinct: int
    varied: bool
    counts: tuple[tuple[int, int], ...] = ()
    changes: int = 0


class Batch(Record, frozen=True):
    """What a loader gave as number ``number`` of its pass ``turn``, begun at ``stack``, when ``backward`` backward passes
    were over. ``chosen`` is a number for the list of indices (-1: unknown), ``ordered``: each index follows the other."""

    loader: int
    turn: int
    number: int
    stack: int
    backward: int
    grad: bool
    chosen: int
    ordered: bool
    fields: tuple[Field, ...]


class SharedRows(Record, frozen=True):
    """``count`` tensors in one memory (``same_object``: one tensor) were joined as rows at ``stack``. ``rewritten``: how
    often that memory had been written since it was last joined (or made); ``written`` and ``returned``: where, and where
    it was handed out."""

    stack: int
    count: int
    rewritten: int
    backward: int
    content: int
    same_object: bool = False
    written: int = -1
    returned: tuple[int, ...] = ()


class Order(Record, frozen=True):
    """Rows were put in another order: ``taken`` of ``rows`` rows at ``stack``, by the index with number ``content``.
    ``whole``: each row exactly once."""

    stack: int
    rows: int
    taken: int
    content: int
    whole: bool
    tick: int
    loader: int = -1


class Fed(Record, frozen=True):
    """A tensor without parameters that an operation took: ``role`` is ``input`` where it met a parameter, ``target``
    where it was given to a loss function, ``operand`` where it was subtracted from an output. ``content`` and
    ``distinct`` as in :class:`Field`, ``counts`` how many rows each class (a number for each value, in order of
    appearance) has, ``changes`` how often one row differs from the one before, ``rising`` 1 or -1 for sorted numbers
    with mean ``mean`` and deviation ``spread``.

    ``orders``: for each part of its history the orders that its rows were put in; ``since``: the tick since when its
    values exist. ``store`` is a number for its memory, of which it takes the rows from ``offset`` on (``column``: a look
    at all of it); ``made`` the number of the tensor object; ``repeated``: one row was repeated on purpose (``expand``,
    ``repeat``); ``fixed_slice``: see ``observe.slices``. ``rows``: where several ranks train together, a
    checksum of each of the first rows, the same on all ranks."""

    role: str
    name: str
    stack: int
    backward: int
    shape: tuple[int, ...]
    dtype: str
    content: int
    distinct: int
    created: int
    origin: int
    counts: tuple[tuple[int, int], ...] = ()
    changes: int = 0
    rising: int = 0
    mean: float = 0.0
    spread: float = 0.0
    orders: tuple[tuple[int, ...], ...] = ()
    since: int = 0
    store: int = -1
    offset: int = 0
    column: int = -1
    made: int = -1
    repeated: bool = False
    fixed_slice: bool = False
    rows: tuple[int, ...] = ()


class Column(Record, frozen=True):
    """All the targets that some batch was taken from: rows, different values, rows that differ from the one before, and
    how many would in a random order, with these values as frequent as they are."""

    rows: int
    classes: int
    changes: int
    by_chance: float = 0.0


class Apart(Record, frozen=True):
    """Two arrays that the source shuffles, each on its own, and then joins row by row at ``joined``."""

    first: int
    second: int
    names: tuple[str, str]
    joined: int


class Data(Record, frozen=True):
    """All of it. ``loader_columns``: for a loader the column that its targets come from. ``dependence``: how much more of
    the inputs' variance the targets explain than chance would (-1: not measured)."""

    loaders: tuple[Loader, ...] = ()
    batches: tuple[Batch, ...] = ()
    aliases: tuple[SharedRows, ...] = ()
    orders: tuple[Order, ...] = ()
    feds: tuple[Fed, ...] = ()
    columns: tuple[Column, ...] = ()
    loader_columns: tuple[tuple[int, int], ...] = ()
    apart: tuple[Apart, ...] = ()
    dependence: float = -1.0
