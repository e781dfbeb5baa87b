"""One observed run, from the start of the script to the exit status: what ``whygrad run`` does."""

from __future__ import annotations

import functools
import os
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

import msgspec

from whygrad import records, reporting
from whygrad.errors import UsageError
from whygrad.finding import Report
from whygrad.intervention import Intervention
from whygrad.program import Target
from whygrad.progress import Progress
from whygrad.reporting import Settings
from whygrad.runner import Outcome, Watcher, run
from whygrad.sandbox import Files
from whygrad.streams import Look, is_open, is_terminal, say
from whygrad.suppression import suppress
from whygrad.trace import Trace
from whygrad.unseen import nothing_seen
from whygrad.watchdog import GRACE, Watchdog

DEBUG = "WHYGRAD_DEBUG"
CANNOT_WORK = 2


class Observer(Watcher, Protocol):
    """The session that watches the script (see ``observe/session.py``)."""

    progress: Callable[[int, int], None] | None

    def detach(self) -> None:
        """Remove every hook."""

    def trace(self, ended: str, error: BaseException | None, status: int, seconds: float) -> Trace:
        """What was seen."""


class MakeObserver(Protocol):
    """How a session is made."""

    def __call__(
        self,
        script: str,
        argv: tuple[str, ...],
        steps: int,
        on_close: Callable[[], None],
        checkpoint: Callable[[Trace], None],
    ) -> Observer:
        """A session for one run."""


class Diagnose(Protocol):
    """How a trace becomes a report."""

    def __call__(self, trace: Trace, select: Collection[str] = (), ignore: Collection[str] = ()) -> Report:
        """Run the rules."""


class Prove(Protocol):
    """How findings are proved (see ``proof_runs``)."""

    def __call__(self, report: Report, trace: Trace, say: Callable[[str], None]) -> Report:
        """The report with its proofs."""


@dataclass(frozen=True)
class Parts:
    """What an observation is made of. Tests put in their own."""

    observer: MakeObserver
    diagnose: Diagnose
    grace: float = GRACE

    @classmethod
    def standard(cls, intervention: Intervention | None = None, files: Files | None = None) -> Parts:
        """The real ones. None of them imports torch before the script does.

        ``intervention``: what this run does differently; ``files``: who watches (or redirects) what it writes."""
        from whygrad.diagnose import diagnose
        from whygrad.observe.session import Session

        return cls(functools.partial(Session, intervention=intervention, files=files), diagnose)


class ObservedRun:
    """Runs one target under observation. Make one, call :meth:`run`, exit with what it returns."""

    def __init__(
        self,
        target: Target,
        steps: int,
        settings: Settings,
        parts: Parts,
        record: bool = True,
        prove: Prove | None = None,
    ) -> None:
        self._prove = prove
        self._target = target
        self._settings = settings
        self._parts = parts
        # Taken now, because the script may change every one of them.
        self._cwd = os.getcwd()  # noqa: PTH109
        self._path = list(sys.path)
        self._process = os.getpid()
        self._start = time.perf_counter()
        self._stderr: TextIO | None = sys.stderr
        self._look = Look.of(self._stream())
        self._keeper = records.Keeper(records.new_path(target.label, self._cwd) if record else None)
        self._watchdog = Watchdog(self._conclude_late, parts.grace)
        self._observer = parts.observer(
            script=target.label,
            argv=target.args,
            steps=steps,
            on_close=self._watchdog.start,
            checkpoint=self._keeper.checkpoint,
        )
        if self._stderr is not None and is_terminal(self._stderr):
            self._observer.progress = Progress(self._stderr)

    def run(self) -> int:
        """Run the script and report. Raises UsageError if there is nothing to run."""
        try:
            outcome = run(self._target, self._observer)
        finally:
            self._observer.detach()
        if os.getpid() != self._process:
            # a forked child that went on to the end of the script: the report is its parent's
            return outcome.status
        self._watchdog.claim()
        status = self._conclude(outcome)
        self._watchdog.reported(status)
        return status

    def _conclude_late(self) -> int:
        """The window has closed, but the script has not ended: report from here. The hooks stay, the process ends."""
        say("the script went on although its window had closed, so it was stopped.", self._errors())
        return self._conclude(
            Outcome("steps", 0, None, torch_seen=True, seconds=time.perf_counter() - self._start)
        )

    def _conclude(self, outcome: Outcome) -> int:
        """Record, diagnose, report: the exit status. The script is over, so nothing may be raised any more."""
        try:
            with self._own_imports():
                return self._report(outcome)
        except UsageError as error:
            say(str(error), self._errors())
        except KeyboardInterrupt:
            say("interrupted while making the report." + self._kept(), self._errors())
            return 130
        except Exception as error:
            say(internal_error(error) + self._kept(), self._errors())
            if os.environ.get(DEBUG):
                traceback.print_exception(error)
        return outcome.status or CANNOT_WORK

    def _report(self, outcome: Outcome) -> int:
        trace = self._observer.trace(outcome.ended, outcome.error, outcome.status, outcome.seconds)
        if outcome.problem:
            trace = msgspec.structs.replace(trace, problems=(*trace.problems, outcome.problem))
        if outcome.torch_seen:
            self._keeper.save(trace)
        report = self._parts.diagnose(trace, select=self._settings.select, ignore=self._settings.ignore)
        root = trace.cwd or self._cwd
        report = suppress(report, root)
        if self._prove is not None:
            report = self._prove(report, trace, lambda line: say(line, self._errors()))
        nothing = nothing_seen(self._target.label, outcome, trace) if not report.loud() else None
        if nothing is None or self._settings.format != "terminal" or self._settings.output is not None:
            reporting.emit(report, self._settings, self._stream(), self._look, Path(root))
        for sentence in (nothing, self._keeper.problem, self._where(report)):
            if sentence:
                say(sentence, self._errors())
        # a script that failed gives its own status
        return outcome.status or (
            CANNOT_WORK if nothing else reporting.status(report, self._settings.fail_on)
        )

    def _where(self, report: Report) -> str | None:
        if self._settings.output is None:
            return None
        return f"{reporting.summary(report)}; the report is in {self._settings.output}."

    def _kept(self) -> str:
        return f" The record is kept: {self._keeper.written}" if self._keeper.written else ""

    def _stream(self) -> TextIO | None:
        """Where the report goes: to standard output only for programs, which ask for another format."""
        if self._settings.format == "terminal":
            return self._errors()
        return sys.__stdout__ if is_open(sys.__stdout__) else sys.stdout

    def _errors(self) -> TextIO | None:
        """Standard error as it was at the start, unless the script has closed that."""
        return self._stderr if is_open(self._stderr) else sys.stderr

    @contextmanager
    def _own_imports(self) -> Iterator[None]:
        """Import what the report needs from where whygrad was started, not from beside the script."""
        theirs, sys.path[:] = list(sys.path), self._path
        try:
            yield
        finally:
            sys.path[:] = theirs


def internal_error(error: BaseException) -> str:
    """What to say about a fault of our own."""
    return (
        f"this is a fault in whygrad, not in the script: {type(error).__name__}: {error}. "
        f"Please report it, with what is shown after setting {DEBUG}=1."
    )
