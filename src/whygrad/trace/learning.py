"""What else must be known to judge whether a model learns the right thing, beside the chain of each parameter.

Each part is noted by one watcher (``whygrad.observe.watchers``) and read by one module of ``whygrad.graph``.
"""

from __future__ import annotations

from whygrad.trace.accumulation import Carried, Place
from whygrad.trace.chance import Chance
from whygrad.trace.checked import Checked
from whygrad.trace.data import Data
from whygrad.trace.layouts import Ahead, Regrouped, Stacked
from whygrad.trace.losing import LossLook
from whygrad.trace.modes import Modes, Unapplied, Unready
from whygrad.trace.numbers import Activity, Entrance, Level, Rows, Twins
from whygrad.trace.precision import Precision
from whygrad.trace.ranks import Distributed
from whygrad.trace.record import Record
from whygrad.trace.schedules import Sawtooth, Schedules
from whygrad.trace.snapshots import Restored, Snapshots
from whygrad.trace.standing import Standing
from whygrad.trace.targets import Targets


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
    """The facts of the watchers. ``modules`` is indexed by ``Op.module``; ``evaluating``: the ticks of backward passes that
    began while the whole model was in evaluation mode; ``updates_averages``: somewhere in the source averaged models are
    updated."""

    modules: tuple[Module, ...] = ()
    losses: tuple[LossLook, ...] = ()
    rows: tuple[Rows, ...] = ()
    twins: tuple[Twins, ...] = ()
    entrances: tuple[Entrance, ...] = ()
    levels: tuple[Level, ...] = ()
    activities: tuple[Activity, ...] = ()
    modes: Modes = Modes()
    carried: tuple[Carried, ...] = ()
    places: tuple[Place, ...] = ()
    stacked: tuple[Stacked, ...] = ()
    regrouped: tuple[Regrouped, ...] = ()
    ahead: tuple[Ahead, ...] = ()
    checked: Checked | None = None
    data: Data = Data()
    chance: Chance = Chance()
    schedules: Schedules = Schedules()
    snapshots: Snapshots = Snapshots()
    targets: Targets = Targets()
    distributed: Distributed | None = None
    sawteeth: tuple[Sawtooth, ...] = ()
    evaluating: tuple[int, ...] = ()
    standing: Standing | None = None
    restored: tuple[Restored, ...] = ()
    unready: tuple[Unready, ...] = ()
    updates_averages: bool = False
    precision: Precision = Precision()
    unapplied: tuple[Unapplied, ...] = ()
