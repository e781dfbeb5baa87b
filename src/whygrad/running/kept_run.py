"""``whygrad run --keep-running``: the report after the observed steps, then the script goes on under the monitor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad import reporting
from whygrad.reporting import Settings
from whygrad.running.observed_run import ObservedRun, Parts
from whygrad.running.program import Target
from whygrad.running.runner import Outcome
from whygrad.running.streams import say
from whygrad.trace import Trace

if TYPE_CHECKING:
    from whygrad.monitor.keeping import Keeping


class KeptRun(ObservedRun):
    """An observed run whose script is not ended.

    The report comes where the monitor takes over; one that goes to standard output, in the script's stead, comes at the end."""

    def __init__(self, target: Target, steps: int, settings: Settings, record: bool, told: str = "") -> None:
        super().__init__(target, steps, settings, Parts.standard(), record, told=told)
        self._settings, self._recorded = settings, record
        self._keeping: Keeping | None = None
        self._seen: Trace | None = None
        self._status: int | None = None
        self._observer.goes_on = self._closes

    def _closes(self) -> None:
        """In the hook in which enough was seen; again after every step until the monitor has taken over."""
        if self._keeping is None:
            from whygrad.monitor.keeping import Keeping

            self._keeping = Keeping(self._change, self._target.label, self._recorded)

    def _change(self) -> tuple[dict[int, str], int]:
        names = self._observer.names()
        self._seen = self._observer.trace("steps", None, 0, self._now("steps").seconds)
        self._observer.detach()
        if self._settings.format == "terminal" or self._settings.output is not None:
            self._status = self._conclude(self._now("steps"))
        say(
            "the script goes on, watched at next to no cost; in another terminal: whygrad report --follow"
            if self._recorded
            else "the script goes on, watched at next to no cost.",
            self._telling.errors(),
        )
        return names, self._seen.step_count()

    def _conclude(self, outcome: Outcome) -> int:
        """Once: the report on the observed steps. At the end of the script: what the monitor has seen since."""
        if outcome.ended == "steps" or self._keeping is None:
            return super()._conclude(outcome)
        error = f"{type(outcome.error).__name__}: {outcome.error}" if outcome.ended == "raised" else ""
        alarms = self._keeping.finish(
            outcome.ended if outcome.ended in ("raised", "interrupted") else "end", error
        )
        status = self._status if self._status is not None else super()._conclude(outcome)
        if (watch := self._keeping.watch) is not None:
            from whygrad.monitor.stored_report import finding

            status = max(
                status, int(any(reporting.counts(finding(a), self._settings.fail_on) for a in alarms))
            )
            kept = f"; the record: {watch.record}" if watch.record else ""
            say(f"watched until step {watch.steps}, {_count(len(alarms))}{kept}", self._telling.errors())
        for problem in self._keeping.problems.sentences():
            say(problem, self._telling.errors())
        return outcome.status or status

    def _trace(self, outcome: Outcome) -> Trace:
        return self._seen if self._seen is not None else super()._trace(outcome)


def _count(alarms: int) -> str:
    return f"with {alarms} alarm{'' if alarms == 1 else 's'}" if alarms else "without an alarm"
