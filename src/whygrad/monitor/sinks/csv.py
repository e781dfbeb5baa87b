"""CSV files, for a spreadsheet or pandas."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from whygrad.errors import UsageError
from whygrad.monitor.rows import Alarm, Row, Track
from whygrad.monitor.sinks._numbers import DETAILS, Numbers
from whygrad.monitor.store import Meta

_STEPS = [
    "step",
    "time",
    "optimizer",
    "loss",
    "grad_norm",
    "unclipped_grad_norm",
    "clip_ratio",
    "lr",
    "skipped_steps",
]
_PARAMETERS = ["step", "parameter", "grad_norm", *DETAILS.values(), "nonfinite"]
_ALARMS = ["step", "rule", "severity", "title", "fix", "parameters"]


class CsvSink:
    """Three files: ``PATH`` has a line for each measured step, ``PATH`` with ``.parameters`` before its suffix one for each
    parameter of it, and ``.alarms`` one for each alarm. What is not known is empty. Files that exist are continued.

    Args:
        path: such as ``metrics.csv``.
        seconds: the least time between two steps of which the numbers of each parameter are written; 0: all steps.

    Raises:
        UsageError: where the files can't be written, or exist and are no such files.
    """

    def __init__(self, path: str | Path, *, seconds: float = 1.0) -> None:
        self._numbers = Numbers(seconds)
        path = Path(path)
        self._steps, self._steps_file = _open(path, _STEPS)
        self._parameters, self._parameters_file = _open(_beside(path, "parameters"), _PARAMETERS)
        self._alarms, self._alarms_file = _open(_beside(path, "alarms"), _ALARMS)

    def begin(self, meta: Meta) -> None:
        """Nothing to prepare."""

    def rows(self, track: Track, rows: Sequence[Row]) -> None:
        """Write measured steps."""
        for row in rows:
            line = self._numbers.line(track)
            name = track.optimizer if line == 1 else f"{track.optimizer} {line}"
            own = {"step": row.step, "time": row.time, "optimizer": name}
            self._steps.writerow({**own, **self._numbers.of_step(row)})
            for parameter, numbers in self._numbers.of_parameters(track, row).items():
                self._parameters.writerow({"step": row.step, "parameter": parameter, **numbers})
        self._steps_file.flush()
        self._parameters_file.flush()

    def alarm(self, alarm: Alarm) -> None:
        """Write an alarm."""
        own = {name: getattr(alarm, name) for name in _ALARMS}
        self._alarms.writerow({**own, "parameters": " ".join(alarm.parameters)})
        self._alarms_file.flush()

    def close(self) -> None:
        """Close the files."""
        for file in (self._steps_file, self._parameters_file, self._alarms_file):
            file.close()


def _beside(path: Path, what: str) -> Path:
    return path.with_name(f"{path.stem}.{what}{path.suffix}")


def _open(path: Path, columns: list[str]) -> tuple[csv.DictWriter[Any], TextIO]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", newline="", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror}); give CsvSink another path."
        ) from error
    file.seek(0)
    header = next(csv.reader(file), None)
    writer = csv.DictWriter(file, columns, extrasaction="ignore")
    if header is None:
        writer.writeheader()
        file.flush()
    elif header != columns:
        file.close()
        raise UsageError(f"{path} exists and is no file of CsvSink's; give it another path.")
    return writer, file
