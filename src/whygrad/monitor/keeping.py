"""``whygrad run --keep-running``: after the observed steps the script goes on to its end under the monitor."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from whygrad.monitor.names import Names
from whygrad.monitor.rows import Alarm
from whygrad.monitor.watching import Watch
from whygrad.observe.guard import Problems, guarded


class Keeping:
    """Waits for the next forward pass of the thread that trains; there the full observer is taken off and the monitor begins.
    In the hooks of an optimizer, where a window closes, neither can be done: both take and give such hooks.

    ``change``: reports, and takes the observer off; returns the names of the parameters that are known by
    then, by ``id``, and how many steps were taken."""

    def __init__(self, change: Callable[[], tuple[Mapping[int, str], int]], name: str, record: bool) -> None:
        self.problems = Problems()
        self.watch: Watch | None = None
        self._change, self._name, self._record = change, name, record
        self._thread = threading.get_ident()
        self._handle: Any = register_module_forward_pre_hook(self._next)

    def _next(self, module: torch.nn.Module, args: Any) -> None:
        if threading.get_ident() == self._thread and self._handle is not None:
            self._release()
            self._begin()

    @guarded("the beginning of the monitor", None)
    def _begin(self) -> None:
        names, steps = self._change()
        self.watch = Watch(_Known(names), record=self._record, name=self._name, first_step=steps)

    def finish(self, ended: str, error: str) -> list[Alarm]:
        """The script is over: what the monitor saw."""
        self._release()
        if self.watch is None:
            return []
        self.watch.finish(ended, error)
        if not self.watch.tracks and not self.watch.alarms and self.watch.record is not None:
            # a forward pass came, but no step: an empty record would hide that of the observed steps
            self.watch.record.unlink(missing_ok=True)
            self.watch = None
            return []
        return self.watch.alarms

    def _release(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None


class _Known(Names):
    """The names that the full observer found."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._known = names
        super().__init__(None)

    def of(self, parameter: torch.Tensor) -> str | None:
        """The name of a parameter, None if it is new."""
        return self._known.get(id(parameter))
