"""Python's own logging."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from whygrad.monitor.rows import Alarm, Row, Track
from whygrad.monitor.sinks._numbers import Numbers
from whygrad.monitor.store import Meta

_LEVELS = {"error": logging.ERROR, "warning": logging.WARNING}


class LoggingSink:
    """One line every so often, and one for every alarm. Each record has its numbers as a dict, ``record.whygrad``, for
    handlers that keep structure.

    Args:
        logger: the logger, or its name.
        level: of the lines about steps; alarms are warnings and errors.
        seconds: the least time between two lines of an optimizer; 0: every measured step.
    """

    def __init__(
        self, logger: logging.Logger | str = "whygrad", *, level: int = logging.INFO, seconds: float = 10.0
    ) -> None:
        self._logger = logging.getLogger(logger) if isinstance(logger, str) else logger
        self._level = level
        self._numbers = Numbers(seconds)

    def begin(self, meta: Meta) -> None:
        """Say which run it is."""
        self._logger.log(self._level, "whygrad watches %s", meta.script)

    def rows(self, track: Track, rows: Sequence[Row]) -> None:
        """One line, if it is time for one."""
        for row in rows:
            if not self._numbers.due(track, row):
                continue
            line = self._numbers.line(track)
            numbers = self._numbers.of_step(row)
            self._logger.log(
                self._level,
                "step %d%s: %s",
                row.step,
                "" if line == 1 else f" ({track.optimizer} {line})",
                ", ".join([f"{name.replace('_', ' ')} {value:.4g}" for name, value in numbers.items()]),
                extra={"whygrad": {"step": row.step, **numbers}},
            )

    def alarm(self, alarm: Alarm) -> None:
        """One line."""
        self._logger.log(
            _LEVELS[alarm.severity],
            "%s",
            alarm.sentence(),
            extra={"whygrad": {"step": alarm.step, "rule": alarm.rule, **alarm.evidence}},
        )

    def close(self) -> None:
        """Nothing to close."""
