"""TensorBoard, by means of ``torch.utils.tensorboard``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whygrad.monitor.rows import Alarm, Row, Track
from whygrad.monitor.sinks._numbers import Numbers, library
from whygrad.monitor.store import Meta


class TensorBoardSink:
    """Scalars against the step of the training, alarms as text.

    Args:
        log_dir: the folder of the run (default: what TensorBoard chooses below ``runs/``).
        writer: a ``SummaryWriter`` to write to instead, which stays open: that of Lightning's ``TensorBoardLogger`` is
            ``logger.experiment``.
        seconds: the least time between two steps of which the numbers of each parameter are written; 0: all steps.

    Raises:
        UsageError: where the tensorboard package is missing.
    """

    def __init__(
        self, log_dir: str | Path | None = None, *, writer: Any = None, seconds: float = 1.0
    ) -> None:
        self._own = writer is None
        if writer is None:
            writer = library("torch.utils.tensorboard", "tensorboard").SummaryWriter(
                None if log_dir is None else str(log_dir)
            )
        self._writer = writer
        self._numbers = Numbers(seconds)

    def begin(self, meta: Meta) -> None:
        """Nothing to prepare."""

    def rows(self, track: Track, rows: Sequence[Row]) -> None:
        """Write measured steps."""
        for row in rows:
            for name, value in self._numbers.flat(track, row).items():
                self._writer.add_scalar(name, value, row.step, row.time)
        self._writer.flush()

    def alarm(self, alarm: Alarm) -> None:
        """Write an alarm."""
        self._writer.add_text("whygrad/alarms", alarm.sentence(), alarm.step)

    def close(self) -> None:
        """Write what waits, and close a writer of ours."""
        self._writer.flush()
        if self._own:
            self._writer.close()
