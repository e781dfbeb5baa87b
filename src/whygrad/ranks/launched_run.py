"""A run on several ranks as the process that starts them sees it: launch, join, report, and prove."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whygrad.errors import UsageError
from whygrad.finding import Report
from whygrad.proving.intervention import Intervention
from whygrad.proving.proof_runs import limit_of
from whygrad.proving.prove import prove
from whygrad.proving.sandbox import REFUSED
from whygrad.ranks.launch import Joined, Ranks
from whygrad.running.program import Target, prepare
from whygrad.running.runner import Outcome
from whygrad.running.streams import say
from whygrad.running.telling import CANNOT_WORK, Telling
from whygrad.trace import Trace


class LaunchedRun:
    """Runs one target on ``count`` ranks. ``options``: those of ``whygrad run`` that concern the ranks themselves."""

    def __init__(self, target: Target, count: int, options: Sequence[str], telling: Telling) -> None:
        prepare(target)  # what can't be run is told once, and not by every rank
        self._target, self._count, self._options, self._telling = target, count, options, telling

    def run(self) -> int:
        """The exit status: that of the first rank that failed, else that of the report."""
        with Ranks(self._target, self._count, self._options) as ranks:
            try:
                joined = ranks.wait()
            except KeyboardInterrupt:
                joined = ranks.interrupt()
        if joined.refused:
            raise UsageError(joined.refused)
        trace = joined.trace
        if trace is None:
            say(f"none of the {self._count} ranks came as far as to be observed.", self._telling.errors())
            return joined.status or CANNOT_WORK
        seen = any("torch" in one.environment for one in trace.ranks)
        outcome = Outcome("steps", joined.status, None, seen, trace.seconds)
        return self._telling.guarded(lambda: self._telling.tell(trace, outcome), outcome)


class RanksProver:
    """The proof runs of such a run: the same ranks again, each in the sandbox and with one cause taken away."""

    def __init__(self, target: Target, count: int, options: Sequence[str], limit: float | None) -> None:
        self._target, self._count, self._options, self._limit = target, count, options, limit

    def __call__(self, report: Report, trace: Trace, say: Callable[[str], None]) -> Report:
        """The report with its proofs."""
        limit = limit_of(self._limit, trace)
        return prove(report, trace, lambda change: self._rerun(change, limit), say)

    def _rerun(self, change: Intervention, limit: float) -> Trace | str:
        options = [*self._options, "--intervene", change.to_json()]
        with Ranks(self._target, self._count, options, quiet=True) as ranks:
            joined = ranks.wait(limit)
        return _judged(joined, change, limit)


def _judged(joined: Joined, change: Intervention, limit: float) -> Trace | str:
    if joined.status == REFUSED:
        return "The script was not run again, because it would change something that can't be redirected."
    if joined.late:
        return f"The run with {change.text} was ended after {limit:.0f} s; give --proof-timeout more seconds."
    return joined.trace if joined.trace is not None else "The second run left no trace of any rank."
