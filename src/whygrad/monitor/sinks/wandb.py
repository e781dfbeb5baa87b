"""Weights & Biases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whygrad.monitor.rows import Alarm, Row, Track
from whygrad.monitor.sinks._numbers import Numbers, library, same_random_state
from whygrad.monitor.store import Meta

_STEP = "whygrad/step"


class WandbSink:
    """Numbers against ``whygrad/step``, the step of the training; alarms as alerts.

    Args:
        run: the run to write to (default: the one that ``wandb.init`` has begun). It stays open. What is measured joins
            what the program itself logs, as with ``wandb.watch``, so that the program's own steps stay as they are: of
            several measured steps between two of its steps the last is kept.
        seconds: the least time between two steps of which the numbers of each parameter are written; 0: all steps.
        options: for ``wandb.init``, where no run has begun. The run is then the sink's own: every measured step is kept,
            and it is finished with the training.

    Raises:
        UsageError: where the wandb package is missing.
    """

    def __init__(self, run: Any = None, *, seconds: float = 1.0, **options: Any) -> None:
        wandb = library("wandb", "wandb")
        run = run if run is not None else wandb.run
        self._own = run is None
        self._levels = {"error": wandb.AlertLevel.ERROR, "warning": wandb.AlertLevel.WARN}
        if run is None:
            with same_random_state():
                run = wandb.init(**options)
        self._run = run
        self._numbers = Numbers(seconds)

    def begin(self, meta: Meta) -> None:
        """Say what the numbers are to be drawn against."""
        self._run.define_metric(_STEP, hidden=True)
        self._run.define_metric("whygrad*", step_metric=_STEP)

    def rows(self, track: Track, rows: Sequence[Row]) -> None:
        """Write measured steps."""
        for row in rows:
            self._run.log({**self._numbers.flat(track, row), _STEP: row.step}, commit=self._own)

    def alarm(self, alarm: Alarm) -> None:
        """Raise an alert."""
        self._run.alert(f"whygrad: {alarm.rule}", alarm.sentence(), level=self._levels[alarm.severity])

    def close(self) -> None:
        """Finish a run of ours."""
        if self._own:
            self._run.finish()
