"""What else must be known to judge whether a model learns the right thing, beside the chain of each parameter.

Each part is noted by one watcher (``whygrad.observe.watchers``) and read by one module of ``whygrad.graph``.
"""

from __future__ import annotations

from whygrad.trace.record import Record


class Module(Record, frozen=True):
    """A module that ran, or was built while observing: ``kind`` is its class, ``fqn`` its name in its model (empty for
    the model itself or where none was found), ``created`` the stack of its construction, ``options`` its plain
    attributes (numbers, booleans, strings), ``training`` its mode at the end."""

    kind: str
    fqn: str
    created: int
    training: bool
    options: dict[str, str]


class Learning(Record, frozen=True):
    """The facts of the watchers. ``modules`` is indexed by ``Op.module``."""

    modules: tuple[Module, ...] = ()
