"""One observed run, as the ``run`` command sees it. Importable without torch: torch comes in with ``attach``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from whygrad import trace as t
from whygrad.observe.environment import environment
from whygrad.ranks.job import Where
from whygrad.running.window import WindowClosed

if TYPE_CHECKING:
    from whygrad.observe.observation import Observation
    from whygrad.proving.intervention import Intervention
    from whygrad.proving.sandbox import Files


class Session:
    """Attaches the observer when torch is there, closes the window, and hands out the trace."""

    def __init__(
        self,
        script: str,
        argv: tuple[str, ...],
        steps: int,
        on_close: Callable[[], None],
        checkpoint: Callable[[t.Trace], None] | None,
        intervention: Intervention | None = None,
        files: Files | None = None,
        ends: bool = True,
    ) -> None:
        self.ends = ends  #: whether the code is ended once enough was seen
        #: Instead of ending it: what is to be done once, in the hook in which enough was seen.
        self.goes_on: Callable[[], None] | None = None
        self.script = script
        self.argv = argv
        self.steps = steps
        self.on_close = on_close
        self.checkpoint = checkpoint
        self.intervention = intervention
        self.files = files
        self.progress: Callable[[int, int], None] | None = None
        self._observation: Observation | None = None
        self._failed = ""

    @property
    def closed(self) -> bool:
        """Whether enough steps were seen, and the script is to end."""
        return self.goes_on is None and self._observation is not None and self._observation.closed

    def attach(self) -> None:
        """Start observing. Never raises: if whygrad can't observe, the script runs on without it."""
        try:
            from whygrad.observe.observation import Observation

            self._observation = Observation(
                self.steps, self._closing, self._saving, self._progress, self.intervention, self.files
            )
            self._observation.install()
        except Exception as error:
            self._failed = f"whygrad could not observe this run: {type(error).__name__}: {error}"
            self.detach()

    def detach(self) -> None:
        """Remove every hook, mode and patch. Idempotent, never raises."""
        if self._observation is not None:
            try:
                self._observation.remove()
            except Exception as error:
                self._observation.problems.failed("the end of the window", error)

    def where(self) -> Where | None:
        """Where the training thread stands, asked from another thread; None if that can't be told (yet)."""
        standing = self._observation.standing if self._observation is not None else None
        try:
            return standing.look() if standing is not None else None
        except Exception:
            return Where()  # a frame that ends while it is looked at: the next look will do

    def names(self) -> dict[int, str]:
        """The names of the parameters that still exist, by ``id``."""
        entries = self._observation.recorder.params.entries if self._observation is not None else ()
        return {id(tensor): e.fqn for e in entries if e.fqn and (tensor := e.ref()) is not None}

    def trace(self, ended: str, error: BaseException | None, status: int, seconds: float) -> t.Trace:
        """What was observed; empty if torch was never imported."""
        problems: tuple[str, ...] = (self._failed,) if self._failed else ()
        if self._observation is not None and not problems:
            try:
                return self._observation.trace(self.script, self.argv, ended, error, status, seconds)
            except Exception as failure:
                what = f"{type(failure).__name__}: {failure}"
                problems = (
                    *self._observation.problems.sentences(),
                    f"whygrad failed to put together what it saw: {what}",
                )
        return t.Trace(
            self.script,
            self.argv,
            environment(),
            ended,
            seconds,
            problems=problems,
            exit_status=status,
            cwd=str(Path.cwd()),
        )

    def _closing(self) -> None:
        if self.goes_on is not None:
            self.goes_on()
            return
        if not self.ends:
            return
        try:
            self.on_close()
        finally:
            raise WindowClosed

    def _saving(self) -> None:
        if self._observation is not None and self.checkpoint is not None:
            self.checkpoint(self._observation.trace(self.script, self.argv, "running", None, 0, 0.0))

    def _progress(self, done: int) -> None:
        if self.progress is not None:
            self.progress(done, self.steps)
