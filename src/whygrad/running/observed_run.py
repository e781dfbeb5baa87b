"""One observed run, from the start of the script to the exit status: what ``whygrad run`` does."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from whygrad.errors import UsageError
from whygrad.progress import Progress
from whygrad.proving.intervention import Intervention
from whygrad.proving.sandbox import Files
from whygrad.ranks.job import Where
from whygrad.ranks.member import Member
from whygrad.ranks.stalling import Decision
from whygrad.reporting import Settings
from whygrad.running.program import Target
from whygrad.running.runner import Ended, Outcome, Watcher, run
from whygrad.running.streams import is_terminal, say
from whygrad.running.telling import CANNOT_WORK, Diagnose, Prove, Telling
from whygrad.running.watchdog import GRACE, Watchdog
from whygrad.trace import Trace


class Observer(Watcher, Protocol):
    """The session that watches the script (see ``observe/session.py``)."""

    progress: Callable[[int, int], None] | None
    goes_on: Callable[[], None] | None

    def detach(self) -> None:
        """Remove every hook."""

    def where(self) -> Where | None:
        """Where the training thread stands; None before the script has imported torch. Called from another thread."""

    def names(self) -> dict[int, str]:
        """The names of the parameters, by ``id``."""

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
    """Runs one target under observation. Make one, call :meth:`run`, exit with what it returns.

    ``member``: this process among several ranks; ``told``: a sentence about what can't be seen of this run."""

    def __init__(  # all that a run is made of
        self,
        target: Target,
        steps: int,
        settings: Settings,
        parts: Parts,
        record: bool = True,
        prove: Prove | None = None,
        member: Member | None = None,
        told: str = "",
    ) -> None:
        self._target, self._member, self._told = target, member, told
        self._process = os.getpid()
        self._start = time.perf_counter()
        reports = member is None or member.joins
        # Made now, because the script may change everything that it looks at.
        self._telling = Telling(target, settings, parts.diagnose, record and reports, prove)
        self._watchdog = Watchdog(self._conclude_late, parts.grace)
        self._observer = parts.observer(
            script=target.label,
            argv=target.args,
            steps=steps,
            on_close=self._watchdog.start,
            checkpoint=self._checkpoint,
        )
        if reports and self._telling.stderr is not None and is_terminal(self._telling.stderr):
            self._observer.progress = Progress(self._telling.stderr)

    def run(self) -> int:
        """Run the script and report. Raises UsageError if there is nothing to run."""
        if self._member is not None:
            self._member.start(self._observer.where, self._end_rank)
        try:
            outcome = run(self._target, self._observer)
        except UsageError as error:
            if self._member is None:
                raise
            self._member.refuse(str(error))
            return CANNOT_WORK
        finally:
            self._observer.detach()
        if os.getpid() != self._process:
            # a forked child that went on to the end of the script: the report is its parent's
            return outcome.status
        self._watchdog.claim()
        status = self._conclude(outcome)
        self._watchdog.reported(status)
        return status

    def _checkpoint(self, trace: Trace) -> None:
        """What was seen so far, in case the process is killed."""
        if self._member is not None:
            self._member.checkpoint(trace)
        self._telling.keeper.checkpoint(trace)

    def _conclude_late(self) -> int:
        """The window has closed, but the script has not ended: report from here. The hooks stay, the process ends."""
        if self._member is None:
            say(
                "the script went on although its window had closed, so it was stopped.",
                self._telling.errors(),
            )
        return self._conclude(self._now("steps"))

    def _end_rank(self, why: Decision) -> None:
        """This rank waits for others that will not come: end it with what was seen, from the thread that says so."""
        self._watchdog.conclude_now(lambda: self._conclude(self._now(why or "stopped")))

    def _now(self, ended: Ended) -> Outcome:
        return Outcome(ended, 0, None, torch_seen=True, seconds=time.perf_counter() - self._start)

    def _conclude(self, outcome: Outcome) -> int:
        """Record, diagnose, report: the exit status. The script is over, so nothing may be raised any more."""
        return self._telling.guarded(lambda: self._report(outcome), outcome)

    def _trace(self, outcome: Outcome) -> Trace:
        """What was observed."""
        return self._observer.trace(outcome.ended, outcome.error, outcome.status, outcome.seconds)

    def _report(self, outcome: Outcome) -> int:
        trace = self._trace(outcome)
        more = tuple(sentence for sentence in (outcome.problem, self._told) if sentence)
        trace = msgspec.structs.replace(trace, problems=(*trace.problems, *more)) if more else trace
        if self._member is None:
            return self._telling.tell(trace, outcome)
        joined = self._member.hand_over(trace)
        if joined is None:
            return outcome.status
        try:
            return self._telling.tell(joined, outcome)
        finally:
            self._member.let_go()
