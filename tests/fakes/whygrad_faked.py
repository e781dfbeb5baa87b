"""``python whygrad_faked.py ARGS``: whygrad's command line around a session and a diagnosis that are played.

``FAKE_FINDINGS``: the findings as JSON. ``FAKE_FAULT``: a part that fails. ``FAKE_GRACE``: the watchdog's seconds.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from whygrad import cli
from whygrad.finding import Finding, Report
from whygrad.running import observed_run
from whygrad.running.window import WindowClosed
from whygrad.trace import Optimizer, Trace

FAULT = os.environ.get("FAKE_FAULT", "")


class FakeSession:
    """Counts the steps of the played torch, and closes its window as the real one does."""

    def __init__(
        self, script: str, argv: tuple[str, ...], steps: int, on_close: Callable[[], None], checkpoint
    ):
        self.script, self.argv, self.steps = script, argv, steps
        self.on_close, self.checkpoint = on_close, checkpoint
        self.progress = None
        self.count = 0
        self.closed = False

    def attach(self) -> None:
        if FAULT == "attach":
            raise ValueError("played")
        import torch

        torch.observers.append(self._step)

    def _step(self) -> None:
        if not self.closed:
            self.count += 1
            self.checkpoint(self.trace("running", None, 0, 0.0))
            if self.progress:
                self.progress(self.count, self.steps)
            if self.count < self.steps:
                return
            self.closed = True
        self.on_close()
        raise WindowClosed

    def detach(self) -> None:
        if torch := sys.modules.get("torch"):
            torch.observers[:] = []

    def trace(self, ended: str, error: BaseException | None, status: int, seconds: float) -> Trace:
        if FAULT == "trace" and ended != "running":
            raise ValueError("played")
        optimizers = (Optimizer("SGD", "opt", -1, 0, (), self.count),) if self.count else ()
        empty = ((),) * 10
        trace = Trace(
            self.script, self.argv, {}, ended, seconds, *empty, exit_status=status, cwd=str(Path.cwd())
        )
        return msgspec.structs.replace(trace, optimizers=optimizers)


def diagnose(trace: Trace, select=(), ignore=()) -> Report:
    """A report with the findings that the test has asked for."""
    if FAULT == "diagnose":
        raise ValueError("played")
    findings = msgspec.convert(json.loads(os.environ.get("FAKE_FINDINGS", "[]")), tuple[Finding, ...])
    severities = {f.severity for f in findings}
    verdict = "does-not-train" if "error" in severities else "suspect" if severities else "trains"
    return Report(verdict, trace.script, trace.step_count(), 0, 0.0, {}, findings, ended=trace.ended)


def parts(cls) -> observed_run.Parts:
    return cls(FakeSession, diagnose, float(os.environ.get("FAKE_GRACE", "5")))


if __name__ == "__main__":
    observed_run.Parts.standard = classmethod(parts)
    sys.exit(cli.main())
