"""whygrad finds out why a PyTorch model is not learning, and names the line.

The names below are the public ones. They are looked up when first used, so that ``import whygrad``
costs nothing and imports no other package, torch least of all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whygrad.api.checking import assert_trains, check
    from whygrad.api.editing import EditError, edit
    from whygrad.api.inspection import Inspection, inspect
    from whygrad.api.path import Path, explain
    from whygrad.api.recording import Recording, record
    from whygrad.errors import UsageError
    from whygrad.finding import (
        LINKS,
        SCHEMA,
        Cost,
        Finding,
        ParameterVerdict,
        Proof,
        Report,
        Site,
        Step,
    )
    from whygrad.monitor.actions import TrainingStopped
    from whygrad.monitor.rows import Alarm
    from whygrad.monitor.watching import Watch, watch
    from whygrad.trace import Trace, TraceError

__version__ = "0.1.0"

__all__ = [
    "LINKS",
    "SCHEMA",
    "Alarm",
    "Cost",
    "EditError",
    "Finding",
    "Inspection",
    "ParameterVerdict",
    "Path",
    "Proof",
    "Recording",
    "Report",
    "Site",
    "Step",
    "Trace",
    "TraceError",
    "TrainingStopped",
    "UsageError",
    "Watch",
    "__version__",
    "assert_trains",
    "check",
    "edit",
    "explain",
    "inspect",
    "record",
    "watch",
]

_HOMES = {
    "Trace": "whygrad.trace",
    "TraceError": "whygrad.trace",
    "UsageError": "whygrad.errors",
    "assert_trains": "whygrad.api.checking",
    "check": "whygrad.api.checking",
    "EditError": "whygrad.api.editing",
    "edit": "whygrad.api.editing",
    "Inspection": "whygrad.api.inspection",
    "inspect": "whygrad.api.inspection",
    "Path": "whygrad.api.path",
    "explain": "whygrad.api.path",
    "Recording": "whygrad.api.recording",
    "record": "whygrad.api.recording",
    "TrainingStopped": "whygrad.monitor.actions",
    "Alarm": "whygrad.monitor.rows",
    "Watch": "whygrad.monitor.watching",
    "watch": "whygrad.monitor.watching",
}


def __getattr__(name: str) -> object:
    """Look a public name up in the module that defines it, once (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from whygrad.running.quiet_import import load

    value: object = getattr(load(_HOMES.get(name, "whygrad.finding")), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: object) -> None:
    """``%load_ext whygrad`` in a notebook or in IPython: the magics ``%%whygrad`` and ``%whygrad``."""
    import importlib

    importlib.import_module("whygrad.integrations.ipython").load(shell)


def __dir__() -> list[str]:
    """The public names, looked up or not."""
    return sorted({*globals(), *__all__})
