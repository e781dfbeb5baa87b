"""What becomes of a trace when a run is over: record, diagnosis, proofs, the report, the exit status."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TextIO

from whygrad import reporting
from whygrad.errors import UsageError
from whygrad.finding import Report
from whygrad.reporting import Settings
from whygrad.running.program import Target
from whygrad.running.runner import Outcome
from whygrad.running.streams import Look, is_open, say
from whygrad.running.unseen import nothing_seen
from whygrad.saved import records
from whygrad.suppression import suppress
from whygrad.trace import Trace

DEBUG = "WHYGRAD_DEBUG"
CANNOT_WORK = 2


class Diagnose(Protocol):
    """How a trace becomes a report."""

    def __call__(self, trace: Trace, select: Collection[str] = (), ignore: Collection[str] = ()) -> Report:
        """Run the rules."""


class Prove(Protocol):
    """How findings are proved (see ``proof_runs``)."""

    def __call__(self, report: Report, trace: Trace, say: Callable[[str], None]) -> Report:
        """The report with its proofs."""


class Telling:
    """Tells the user about one run. Made before the script runs, which may change everything that it looks at."""

    def __init__(
        self,
        target: Target,
        settings: Settings,
        diagnose: Diagnose,
        record: bool = True,
        prove: Prove | None = None,
    ) -> None:
        self._target, self._settings, self._diagnose, self._prove = target, settings, diagnose, prove
        self._cwd = os.getcwd()  # noqa: PTH109
        self._path = list(sys.path)
        self.stderr: TextIO | None = sys.stderr
        self._look = Look.of(self._stream())
        self.keeper = records.Keeper(records.new_path(target.label, self._cwd) if record else None)

    def guarded(self, work: Callable[[], int], outcome: Outcome) -> int:
        """The exit status that ``work`` gives. The script is over, so nothing may be raised any more."""
        try:
            with self._own_imports():
                return work()
        except UsageError as error:
            say(str(error), self.errors())
        except KeyboardInterrupt:
            say("interrupted while making the report." + self._kept(), self.errors())
            return 130
        except Exception as error:
            say(internal_error(error) + self._kept(), self.errors())
            if os.environ.get(DEBUG):
                traceback.print_exception(error)
        return outcome.status or CANNOT_WORK

    def tell(self, trace: Trace, outcome: Outcome) -> int:
        """Keep the record, make the report and write it: the exit status."""
        if outcome.torch_seen:
            self.keeper.save(trace)
        report = self._diagnose(trace, select=self._settings.select, ignore=self._settings.ignore)
        root = trace.cwd or self._cwd
        report = suppress(report, root)
        if self._prove is not None:
            report = self._prove(report, trace, lambda line: say(line, self.errors()))
        nothing = nothing_seen(self._target.label, outcome, trace) if not report.loud() else None
        # a script that failed gives its own status
        status = outcome.status or (
            CANNOT_WORK if nothing else reporting.status(report, self._settings.fail_on)
        )
        if nothing is None or self._settings.format != "terminal" or self._settings.output is not None:
            reporting.emit(report, self._settings, self._stream(), self._look, Path(root), status)
        for sentence in (nothing, self.keeper.problem, self._where(report)):
            if sentence:
                say(sentence, self.errors())
        return status

    def errors(self) -> TextIO | None:
        """Standard error as it was at the start, unless the script has closed that."""
        return self.stderr if is_open(self.stderr) else sys.stderr

    def _where(self, report: Report) -> str | None:
        if self._settings.output is None:
            return None
        return f"{reporting.summary(report)}; the report is in {self._settings.output}."

    def _kept(self) -> str:
        return f" The record is kept: {self.keeper.written}" if self.keeper.written else ""

    def _stream(self) -> TextIO | None:
        """Where the report goes: to standard output only for programs, which ask for another format."""
        if self._settings.format == "terminal":
            return self.errors()
        return sys.__stdout__ if is_open(sys.__stdout__) else sys.stdout

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
