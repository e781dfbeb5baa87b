"""A store that may be impossible to write for a while: that is said once, and it is tried again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from whygrad.monitor.store import Batch, Writer

_PATIENCE = 5.0  #: seconds until it is tried again


class PatientStore:
    """The file, which may be impossible to write for a while."""

    def __init__(self, path: Path | None, tell: Callable[[str], None]) -> None:
        self._path, self._tell = path, tell
        self._writer: Writer | None = None
        self._failed_at: float | None = None
        self._told = False

    def write(self, batch: Batch, patient: bool) -> bool:
        """Whether it was written, or is not to be. ``patient``: wait a while after a failure before trying again."""
        if self._path is None:
            return True
        if patient and self._failed_at is not None and time.monotonic() - self._failed_at < _PATIENCE:
            return False
        try:
            if self._writer is None:
                self._writer = Writer(self._path)
            self._writer.write(batch)
        except Exception as error:
            self._failed_at = time.monotonic()
            if not self._told:
                self._told = True
                self._tell(
                    f"the record {self._path} cannot be written just now ({error}); training goes on, and it is tried again"
                )
            return False
        self._failed_at = None
        return True

    def close(self) -> None:
        """Let go of the file."""
        if self._writer is not None:
            try:
                self._writer.close()
            except Exception as error:
                self._tell(f"the record {self._path} could not be closed ({error})")
