"""Weights that were taken as a whole, and second names of modules: do they share memory with what goes on training?"""

from __future__ import annotations

from whygrad.trace.record import Record


class Use(Record, frozen=True):
    """A snapshot was given to ``load_state_dict`` of its own module (``how`` is ``load``) or of another one
    (``load-other``), or to ``torch.save`` (``save``), at ``stack``; ``steps`` optimizer steps and loads had changed its
    parameters since it was taken."""

    how: str
    stack: int
    steps: int


class Snapshot(Record, frozen=True):
    """A ``state_dict()`` that shares memory with its module. ``stack``: where it was taken; ``steps``: optimizer steps that
    have changed its parameters since; ``kept``: it was still held by something at the end; ``saved``: ``torch.save``
    wrote it before any of these steps; ``looped``: it was taken in the loop that trains; ``later``: lines that, by the
    source, load what it was bound to and have not run; ``params``: its parameters."""

    stack: int
    steps: int
    kept: bool
    saved: bool
    looped: bool
    uses: tuple[Use, ...]
    later: tuple[int, ...]
    params: tuple[int, ...]


class Alias(Record, frozen=True):
    """Two names for one module that trains. ``stack``: the assignment; ``name`` and ``other``: the new name and the old
    one; ``how``: what shows that two modules were meant: ``copied`` (its own weights are loaded into it), ``averaged``
    (its parameters are updated from themselves), ``target`` (one name is called without autograd, the other with it),
    ``best`` (kept as the best so far), ``listed`` (a list of its parameters is), ``shadow`` (a dictionary of them is
    averaged with them); ``use``: where; ``ran``: this was observed; ``params``: its parameters."""

    stack: int
    name: str
    other: str
    how: str
    use: int
    ran: bool
    params: tuple[int, ...]


class Repeated(Record, frozen=True):
    """A module with parameters that fills several places of one container. ``stack``: where it was put there;
    ``created``: where it was made; ``kind``: its class; ``count``: places; ``text``: the expression; ``meant``: the source says
    that weights are shared."""

    stack: int
    created: int
    kind: str
    count: int
    text: str
    meant: bool
    params: tuple[int, ...]


class Loaded(Record, frozen=True):
    """``load_state_dict(strict=False)``: how many of the module's names were found in what it was given, how many were not,
    and how many names there were that it does not have. ``example``: one of each of these, a missing one and an
    unexpected one. ``params``: its parameters that an optimizer holds."""

    stack: int
    found: int
    missing: int
    unexpected: int
    example: tuple[str, str]
    params: tuple[int, ...]


class Restored(Record, frozen=True):
    """``load_state_dict`` was called at ``stack``, when ``passes`` backward passes were over, on a module with ``weights``
    parameters of two dimensions or more (or an embedding was made of given vectors). ``loaded``: its parameters
    that were in the state, ``lacking``: those that were not, nor share memory with any that were. ``own``: the state was the
    module's own memory, though a file had been read before; ``informative``: it held more than fresh random numbers.
    ``torn``: two names that stood for one parameter before. ``renamed``: some weights of ``renamed_count`` that seem to be
    in the state under another name (name in the module, name in the state). ``redrawn``: what was filled with random
    numbers before the first backward pass: (parameter, stack)."""

    stack: int
    tick: int
    passes: int
    own: bool
    informative: bool
    torn: tuple[str, str] | None
    renamed: tuple[tuple[str, str], ...]
    renamed_count: int
    weights: int
    lacking: tuple[int, ...]
    loaded: tuple[int, ...]
    redrawn: tuple[tuple[int, int], ...]


class Snapshots(Record, frozen=True):
    """All of them."""

    taken: tuple[Snapshot, ...] = ()
    aliases: tuple[Alias, ...] = ()
    repeated: tuple[Repeated, ...] = ()
    loaded: tuple[Loaded, ...] = ()
