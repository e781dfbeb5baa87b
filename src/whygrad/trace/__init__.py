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
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from whygrad.trace.accumulation import Around, Carried, Place
from whygrad.trace.chance import Chance, Draw, Reseed
from whygrad.trace.checked import Checked
from whygrad.trace.computation import (
    Backward,
    Census,
    Edge,
    Frame,
    LeafGrad,
    Node,
    Op,
    Operand,
    OpKind,
    Probe,
    Value,
)
from whygrad.trace.data import Apart, Batch, Column, Data, Fed, Field, Loader, Order, SharedRows
from whygrad.trace.failing import Given, Raised
from whygrad.trace.layouts import Ahead, Regrouped, Stacked
from whygrad.trace.learning import Learning, Module
from whygrad.trace.losing import LossLook, Sums
from whygrad.trace.modes import Layer, Modes, SmallLoader, Span, Statistics, Switch, Unapplied, Unready
from whygrad.trace.numbers import Activity, Entrance, Level, Rows, Twins
from whygrad.trace.overfit import LossCall, Moved, Overfit
from whygrad.trace.precision import Precision, Region
from whygrad.trace.ranks import (
    Channels,
    Collective,
    Distributed,
    Moment,
    Past,
    Prepared,
    Reading,
    Retyped,
    Said,
    Sampler,
    Sketch,
    Used,
    Wrapper,
)
from whygrad.trace.record import Record
from whygrad.trace.schedules import Sawtooth, Schedule, Schedules, Turn
from whygrad.trace.snapshots import Alias, Loaded, Repeated, Restored, Snapshot, Snapshots, Use
from whygrad.trace.standing import Standing
from whygrad.trace.targets import Divisor, MaskLook, TargetLook, Targets
from whygrad.trace.training import Event, Flip, Group, Optimizer, Param, Step, StepParam, Unreached

#: 1: first format (2026-11).
FORMAT = 1
_MAGIC = "whygrad.trace"

#: Where a tensor's value came from: bits of ``Value.origin`` and ``Param.origin``.
RANDOM, CONSTANT, LOADED, DATA, INIT, PARAMETER = 1, 2, 4, 8, 16, 32
ZEROS = 64


class TraceError(Exception):
    """A record could not be read or written; the text is one sentence for the user."""


class Trace(Record, frozen=True):
    """One observed run. ``ended``: ``steps`` (the window was full), ``end`` (the script was over), ``exit``,
    ``raised``, ``interrupted``, ``stopped`` (whygrad ended a rank that waited for others).
    ``problems``: what could not be seen, and why, one sentence each.
    ``ranks``: where several processes train together, the trace of each, in the order of their ranks (see
    :func:`merge`); everything else is then that of the first of them. Empty for a single process, and in each rank's own."""

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
    learning: Learning = Learning()
    ranks: tuple[Trace, ...] = ()

    @property
    def rank(self) -> int:
        """Which of several processes this is the trace of, from 0."""
        return int(self.environment.get("rank", 0))

    def step_count(self) -> int:
        """Steps of the optimizer that stepped most; hand-written updates count as steps where none stepped."""
        return max((o.steps for o in self.optimizers), default=0) or self.hand_steps


def merge(traces: Iterable[Trace], world_size: int = 0, problems: Sequence[str] = ()) -> Trace:
    """One trace of the ranks that trained together, each with its number in ``environment["rank"]``.

    ``world_size``: how many there were, if not all of them left a trace; ``problems``: why some did not, and the like.
    Raises ValueError if there is none."""
    ranks = sorted(traces, key=lambda trace: trace.rank)
    if not ranks:
        raise ValueError("there is no trace to merge")
    size = max(world_size, len(ranks))
    environment = {**ranks[0].environment, "world_size": size}
    environment.pop("rank", None)
    return msgspec.structs.replace(
        ranks[0],
        environment=environment,
        seconds=max(trace.seconds for trace in ranks),
        problems=(*problems, *_problems(ranks)),
        ranks=tuple(msgspec.structs.replace(trace, ranks=()) for trace in ranks),
    )


def _problems(ranks: Sequence[Trace]) -> list[str]:
    """What could not be seen on any of them; each sentence once, and where only some say it, with their numbers."""
    said: dict[str, list[int]] = {}
    for trace in ranks:
        for sentence in trace.problems:
            said.setdefault(sentence, []).append(trace.rank)
    return [
        sentence if len(who) == len(ranks) else f"{sentence} (on rank {', '.join(map(str, who))})"
        for sentence, who in said.items()
    ]


def packed(trace: Trace) -> bytes:
    """A trace as the bytes of a record."""
    return gzip.compress(msgspec.msgpack.encode((_MAGIC, FORMAT, trace)), compresslevel=1)


def save(trace: Trace, path: Path) -> None:
    """Write ``trace`` to ``path`` through a temporary file beside it, so that a record is whole or absent.

    Raises TraceError where the folder can't be written."""
    data = packed(trace)
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
    return unpacked(raw, str(path))


def unpacked(raw: bytes, path: str) -> Trace:
    """The trace in the bytes of a record; ``path`` is what messages call it. Raises TraceError as :func:`load` does."""
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


__all__ = [
    "CONSTANT",
    "DATA",
    "FORMAT",
    "INIT",
    "LOADED",
    "PARAMETER",
    "RANDOM",
    "ZEROS",
    "Activity",
    "Ahead",
    "Alias",
    "Apart",
    "Around",
    "Backward",
    "Batch",
    "Carried",
    "Census",
    "Chance",
    "Channels",
    "Checked",
    "Collective",
    "Column",
    "Data",
    "Distributed",
    "Divisor",
    "Draw",
    "Edge",
    "Entrance",
    "Event",
    "Fed",
    "Field",
    "Flip",
    "Frame",
    "Given",
    "Group",
    "Layer",
    "LeafGrad",
    "Learning",
    "Level",
    "Loaded",
    "Loader",
    "LossCall",
    "LossLook",
    "MaskLook",
    "Modes",
    "Module",
    "Moment",
    "Moved",
    "Node",
    "Op",
    "OpKind",
    "Operand",
    "Optimizer",
    "Order",
    "Overfit",
    "Param",
    "Past",
    "Place",
    "Precision",
    "Prepared",
    "Probe",
    "Raised",
    "Reading",
    "Record",
    "Region",
    "Regrouped",
    "Repeated",
    "Reseed",
    "Restored",
    "Retyped",
    "Rows",
    "Said",
    "Sampler",
    "Sawtooth",
    "Schedule",
    "Schedules",
    "SharedRows",
    "Sketch",
    "SmallLoader",
    "Snapshot",
    "Snapshots",
    "Span",
    "Stacked",
    "Standing",
    "Statistics",
    "Step",
    "StepParam",
    "Sums",
    "Switch",
    "TargetLook",
    "Targets",
    "Trace",
    "TraceError",
    "Turn",
    "Twins",
    "Unapplied",
    "Unreached",
    "Unready",
    "Use",
    "Used",
    "Value",
    "Wrapper",
    "load",
    "merge",
    "packed",
    "save",
    "unpacked",
]
