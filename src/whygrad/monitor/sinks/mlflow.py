"""MLflow (``mlflow`` or ``mlflow-skinny``)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from whygrad.monitor.rows import Alarm, Row, Track
from whygrad.monitor.sinks._numbers import Numbers, library, same_random_state
from whygrad.monitor.store import Meta

_MOST = 1_000  #: metrics a request (mlflow.org, REST API, "Log Batch": "up to 1000 metrics")
_LONGEST_NAME, _LONGEST_TAG = 250, 5_000  #: characters (the same page, "Request Limits")
_FOREIGN = re.compile(r"[^\w\-. :/]", re.ASCII)


class MlflowSink:
    """Metrics against the step of the training, alarms as tags ``whygrad.alarm.STEP.RULE``.

    Args:
        run_id: the run to write to (default: the active one, else a new one, which is ended with the training).
        tracking_uri: where it is (default: what MLflow is set to).
        seconds: the least time between two steps of which the numbers of each parameter are written; 0: all steps.

    Characters that MLflow does not allow in names become ``_``.

    Raises:
        UsageError: where the mlflow package is missing.
    """

    def __init__(
        self, run_id: str | None = None, *, tracking_uri: str | None = None, seconds: float = 1.0
    ) -> None:
        mlflow = library("mlflow", "mlflow")
        self._metric = library("mlflow.entities", "mlflow").Metric
        self._client: Any = mlflow.MlflowClient(tracking_uri=tracking_uri)
        self._own = False
        if run_id is None and (active := mlflow.active_run()) is not None:
            run_id = active.info.run_id
        if run_id is None:
            self._own = True
            with same_random_state():
                run_id = self._new()
        self.run_id: str = run_id
        self._numbers = Numbers(seconds)

    def _new(self) -> str:
        """A run in the experiment that was chosen (``mlflow.set_experiment`` sets the environment, too)."""
        experiment = os.environ.get("MLFLOW_EXPERIMENT_ID")
        if not experiment:
            name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or "Default"
            known = self._client.get_experiment_by_name(name)
            experiment = known.experiment_id if known is not None else self._client.create_experiment(name)
        run_id: str = self._client.create_run(experiment).info.run_id
        return run_id

    def begin(self, meta: Meta) -> None:
        """Nothing to prepare."""

    def rows(self, track: Track, rows: Sequence[Row]) -> None:
        """Write measured steps, in as few requests as MLflow allows."""
        metrics = [
            self._metric(_FOREIGN.sub("_", name)[:_LONGEST_NAME], value, int(row.time * 1000), row.step)
            for row in rows
            for name, value in self._numbers.flat(track, row).items()
        ]
        for at in range(0, len(metrics), _MOST):
            self._client.log_batch(self.run_id, metrics=metrics[at : at + _MOST])

    def alarm(self, alarm: Alarm) -> None:
        """Set a tag."""
        self._client.set_tag(
            self.run_id, f"whygrad.alarm.{alarm.step}.{alarm.rule}", alarm.sentence()[:_LONGEST_TAG]
        )

    def close(self) -> None:
        """End a run of ours."""
        if self._own:
            self._client.set_terminated(self.run_id)
