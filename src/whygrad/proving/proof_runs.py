"""The fresh processes of ``--prove``: the same command again, in a sandbox, with one cause taken away."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from whygrad.finding import Report
from whygrad.home import IMPORTABLE
from whygrad.proving.intervention import Intervention
from whygrad.proving.prove import prove
from whygrad.proving.sandbox import REFUSED, Watcher
from whygrad.running.program import Target
from whygrad.saved import records
from whygrad.trace import Trace, TraceError, load

_TIMES, _LEAST = 3.0, 20.0  #: a proof run may take three times the first run, and at least this many seconds


class Prover:
    """Proves the findings of one run. ``limit``: seconds a proof run may take (None: three times the first run)."""

    def __init__(self, target: Target, steps: int, limit: float | None, watcher: Watcher) -> None:
        self._target, self._steps, self._limit, self._watcher = target, steps, limit, watcher
        self._cwd = Path.cwd()
        # the proof runs must find the same whygrad, however it was found here
        self._environment = dict(os.environ)
        known = self._environment.get("PYTHONPATH", "")
        self._environment["PYTHONPATH"] = os.pathsep.join(p for p in (known, IMPORTABLE) if p)

    def __call__(self, report: Report, trace: Trace, say: Callable[[str], None]) -> Report:
        """The report with its proofs. ``say`` gets a line before each run, and a warning before the first."""
        self._watcher.active = False
        limit = limit_of(self._limit, trace)
        touched = self._watcher.sentence()
        if touched and report.loud():
            say(f"{touched}: the proof runs write to a temporary folder instead, and connect to nobody")
        return prove(report, trace, lambda change: self._rerun(change, limit), say)

    def _rerun(self, change: Intervention, limit: float) -> Trace | str:
        with tempfile.TemporaryDirectory(prefix="whygrad-proof-") as folder:
            environment = {**self._environment, records.STATE_DIR: folder}
            try:
                done = subprocess.run(  # noqa: S603  # the command that the user gave
                    self._command(change),
                    cwd=self._cwd,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    timeout=limit,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return f"The run with {change.text} was ended after {limit:.0f} s; give --proof-timeout more seconds."
            if done.returncode == REFUSED:
                what = done.stderr.decode(errors="replace").rpartition("whygrad-refused: ")[2].strip()
                return f"The script was not run again, because it would change {what}, which can't be redirected."
            return _record(Path(folder), done.stderr.decode(errors="replace"))

    def _command(self, change: Intervention) -> list[str]:
        flag = {"module": ["-m"], "code": ["-c"]}.get(self._target.kind, [])
        own = ["run", "--steps", str(self._steps), "--intervene", change.to_json(), "--fail-on", "never"]
        return [sys.executable, "-m", "whygrad", *own, *flag, self._target.name, *self._target.args]


def limit_of(given: float | None, trace: Trace) -> float:
    """Seconds that a proof run may take after a first run like this."""
    return given or max(_LEAST, _TIMES * trace.seconds)


def _record(folder: Path, errors: str) -> Trace | str:
    found = sorted((folder / "records").glob(f"*{records.SUFFIX}"))
    try:
        return load(found[-1])
    except (IndexError, TraceError):
        last = errors.strip().splitlines()[-1:] or ["nothing was printed"]
        return f"The second run left no record: {last[0]}"
