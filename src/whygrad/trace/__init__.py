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
from whygrad.trace.modes import Layer, Modes, SmallLoader, Span, Statistics, Switch
from whygrad.trace.numbers import Activity, Entrance, Level, Rows, Twins
from whygrad.trace.overfit import LossCall, Moved, Overfit
from whygrad.trace.record import Record
from whygrad.trace.schedules import Schedule, Schedules, Turn
from whygrad.trace.snapshots import Alias, Loaded, Repeated, Snapshot, Snapshots, Use
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
    learning: Learning = Learning()

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
    "Checked",
    "Column",
    "Data",
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
    "Moved",
    "Node",
    "Op",
    "OpKind",
    "Operand",
    "Optimizer",
    "Order",
    "Overfit",
    "Param",
    "Place",
    "Probe",
    "Raised",
    "Record",
    "Regrouped",
    "Repeated",
    "Reseed",
    "Rows",
    "Schedule",
    "Schedules",
    "SharedRows",
    "SmallLoader",
    "Snapshot",
    "Snapshots",
    "Span",
    "Stacked",
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
    "Unreached",
    "Use",
    "Value",
    "load",
    "save",
]
