"""When something has gone wrong: the full observer for the next steps, so that the diagnosis has lines."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from whygrad.api.recording import Recording
from whygrad.finding import Report
from whygrad.observe.guard import Problems, guarded

STEPS = 5
#: What is true of every window that begins in the middle of a training.
IGNORED = ("optimizer-recreated", "same-batch-every-step")


class Diagnosis:
    """Observes ``steps`` steps, beginning with the next forward pass of any module.

    It can neither begin nor end within an optimizer's hooks, where alarms are heard: the observer registers such hooks
    itself. ``done`` gets the report."""

    def __init__(self, name: str, steps: int, done: Callable[[Report], None], problems: Problems) -> None:
        self.problems = problems
        self._recording = Recording(name, steps)
        self._done = done
        self._left = steps
        self._running = False
        self._over = False
        self._handle: Any = register_module_forward_pre_hook(self._begin)

    @guarded("the beginning of a diagnosis", None)
    def _begin(self, module: torch.nn.Module, args: Any) -> None:
        self._release()
        if not self._over and not torch.compiler.is_compiling():
            self._recording.__enter__()
            self._running = True

    def after_step(self) -> None:
        """A step is over: if it was enough, end at the next forward pass."""
        self._left -= self._running
        if self._running and self._handle is None and self._left <= 0:
            self._handle = register_module_forward_pre_hook(self._end)

    def _end(self, module: torch.nn.Module, args: Any) -> None:
        self.finish()

    @guarded("a diagnosis", None)
    def finish(self) -> None:
        """End, with what was seen until now. Idempotent; not to be called from an optimizer's hook."""
        self._over = True
        self._release()
        if self._running:
            self._running = False
            self._recording.__exit__(None, None, None)
            self._done(self._recording.report(ignore=IGNORED))

    def _release(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None


def told(report: Report) -> Collection[str]:
    """What a diagnosis found, a line each: what is wrong, and where."""
    lines = []
    for finding in report.loud():
        where = f" ({finding.causes[0].file}:{finding.causes[0].line})" if finding.causes else ""
        lines.append(f"{finding.title}{where}. {finding.fix} (whygrad explain {finding.rule})")
    return lines or [f"nothing more was found in {report.steps} further steps: verdict {report.verdict}"]
