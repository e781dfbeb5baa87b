"""Steps that a GradScaler leaves out: no optimizer's hook hears of those."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from whygrad.monitor.plan import rate_of
from whygrad.monitor.rows import UNSEEN, Row, Track
from whygrad.monitor.seen import Seen
from whygrad.observe.guard import guarded
from whygrad.observe.patching import Patches
from whygrad.observe.quiet import Quiet

if TYPE_CHECKING:
    from whygrad.monitor.hooks import Hooks

_SKIPS = 20  #: skipped steps in a row after which a row without numbers tells of them


class Skipping:
    """Counts what scalers are asked for, and what they leave out."""

    def __init__(self, hooks: Hooks) -> None:
        self.problems = hooks.problems
        self.attempts = self.skipped = 0
        self._hooks = hooks
        self._counts = 0

    def install(self, patches: Patches) -> None:
        """Hear of every step that a scaler is asked for."""
        scaler = torch.amp.grad_scaler.GradScaler
        patches.around(scaler, "_maybe_opt_step", before=self._asked, after=self._answered)

    @guarded("GradScaler.step", None)
    def _asked(self, scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Seen | None:
        seen = self._hooks.known(optimizer)
        if seen is not None:
            seen.stepping = False
            seen.waits = False
            seen.noted = None
            seen.in_a_row += 1
            self._counts = seen.count
        return seen

    def _answered(
        self, seen: Seen | None, result: Any, scaler: Any, optimizer: Any, *args: Any, **kwargs: Any
    ) -> None:
        self._count(seen, optimizer)
        self._hooks.between()  # it may raise, on purpose

    @guarded("GradScaler.step", None)
    def _count(self, seen: Seen | None, optimizer: Any) -> None:
        if seen is None:
            return
        self.attempts += 1
        if seen.count != self._counts:
            seen.in_a_row = 0
            return
        self.skipped += 1
        if seen.in_a_row % _SKIPS == 0:
            with Quiet():
                plan = self._hooks.plan_of(seen, optimizer)
            if plan is not None:
                self._hooks.send(plan, now=True)
                rates = tuple(rate_of(group.get("lr")) for group in optimizer.param_groups)
                row = Row(
                    plan.track.number, self._hooks.step, time.time(), [UNSEEN] * len(plan.ids), lrs=rates
                )
                row.attempts, row.skipped = self.attempts, self.skipped
                self._hooks.put(_Skips(plan.track, row))


class _Skips:
    """A row without numbers: all that there is to tell is how many steps were skipped."""

    def __init__(self, track: Track, row: Row) -> None:
        self.track, self._row = track, row

    def rows(self) -> list[Row]:
        """That one row."""
        return [self._row]
