"""Where records lie: one file a run, the newest ones kept.

A record's name says when it was made, from which script, in which folder (a checksum) and by which process:
``20261130T170501.123456-train-1a2b3c4d-4711.whygrad``. So the last one of a folder is found without reading any.
"""

from __future__ import annotations

import os
import re
import time
import zlib
from datetime import datetime, timezone
from pathlib import Path

from whygrad.errors import UsageError
from whygrad.monitor.store import is_store
from whygrad.trace import Trace, TraceError, save

KEPT = 20
SUFFIX = ".whygrad"
STATE_DIR = "WHYGRAD_STATE_DIR"
_LEFTOVER_SECONDS = 3600
_JOURNAL = "-journal"  #: what SQLite adds to a name while it writes, and leaves when it is killed
_STAMP = "%Y%m%dT%H%M%S.%f"


def folder() -> Path:
    """The folder of the records: below ``$WHYGRAD_STATE_DIR``, or where the system keeps a user's state."""
    if root := os.environ.get(STATE_DIR):
        return Path(root).absolute() / "records"
    import platformdirs

    return platformdirs.user_state_path("whygrad", appauthor=False) / "records"


def new_path(script: str, cwd: str) -> Path:
    """The path for the record of a run that begins now."""
    stamp = datetime.now(timezone.utc).strftime(_STAMP)
    name = re.sub(r"[^\w.]+", "_", Path(script).name.removesuffix(".py"), flags=re.ASCII).strip("_.")
    return folder() / f"{stamp}-{name[:40] or 'script'}-{_checksum(cwd)}-{os.getpid()}{SUFFIX}"


def last(cwd: str) -> Path:
    """The last record of a run in ``cwd``, else the last one of all. Raises UsageError if there is none."""
    records = _records(where := folder())
    if not records:
        raise UsageError(f"There is no record yet in {where}; run a script first: whygrad run train.py")
    here = [record for record in records if is_from(record, cwd)]
    return (here or records)[-1]


def newest_first() -> list[Path]:
    """All records that are kept. Raises UsageError where their folder cannot be read."""
    return _records(folder())[::-1]


def named(word: Path) -> Path:
    """The record that ``word`` names: a file, or else a number of ``whygrad report --list``, where 1 is the newest.

    Raises UsageError for a number that the list does not have."""
    if not str(word).isdecimal() or word.exists():
        return word
    kept = newest_first()
    if not 0 < int(str(word)) <= len(kept):
        have = f"only {len(kept)} are kept" if kept else "none is kept"
        raise UsageError(f"There is no record {word}: {have}; `whygrad report --list` shows them.")
    return kept[int(str(word)) - 1]


def made(record: Path) -> datetime:
    """When the run of a record began, by its name; for a file of another name, when it was written."""
    try:
        stamp = datetime.strptime(record.name.split("-")[0], _STAMP)
    except ValueError:
        return datetime.fromtimestamp(_modified(record), timezone.utc)
    return stamp.replace(tzinfo=timezone.utc)


def is_from(record: Path, cwd: str) -> bool:
    """Whether the record's name says that it was made in ``cwd``."""
    return _checksum(cwd) in record.name.removesuffix(SUFFIX).split("-")[-2:-1]


class Keeper:
    """Writes the record of one run, again and again as it grows. It never raises."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._process = os.getpid()
        self._failed = False
        #: Where the record is; None if there is none.
        self.written: Path | None = None
        #: Why it could not be written, one sentence.
        self.problem = ""

    def checkpoint(self, trace: Trace) -> None:
        """Write what was seen so far, so that little is lost if the process is killed."""
        # A forked child has a copy of this object, but the record is its parent's. A full disk is tried once more,
        # at the end.
        if os.getpid() == self._process and not self._failed:
            self.save(trace)

    def save(self, trace: Trace) -> None:
        """Write the record, in place of what was written before."""
        if self._path is None:
            return
        try:
            save(trace, self._path)
            if self.written is None:
                prune(self._path.parent)
        except TraceError as error:
            self._failed, self.problem = True, str(error)
        except Exception as error:
            self._failed, self.problem = True, f"The record could not be written to {self._path}: {error}."
        else:
            self.written, self.problem = self._path, ""


def prune(where: Path, keep: int = KEPT) -> None:
    """Remove all but the newest records, and what killed processes have left half-written."""
    leftovers = [p for p in where.glob(f".*{SUFFIX}.*") if time.time() - _modified(p) > _LEFTOVER_SECONDS]
    old = [path for path in _records(where)[:-keep] if not _growing(path)]
    for path in [*old, *leftovers]:
        try:
            path.unlink(missing_ok=True)
            path.with_name(path.name + _JOURNAL).unlink(missing_ok=True)
        except OSError:  # not ours to remove; it is only untidy
            pass


def _growing(path: Path) -> bool:
    """Whether a monitored run may still be writing its record, although many others were made since it began."""
    return is_store(path) and time.time() - _modified(path) < _LEFTOVER_SECONDS


def _records(where: Path) -> list[Path]:
    """The records in a folder, oldest first."""
    try:
        return sorted(path for path in where.iterdir() if path.suffix == SUFFIX and path.name[0] != ".")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(
            f"The folder of the records, {where}, cannot be read: {(error.strerror or str(error)).lower()}; "
            f"set {STATE_DIR} to another folder, or give the record's path."
        ) from error


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()


def _checksum(cwd: str) -> str:
    return f"{zlib.crc32(os.fsencode(cwd)):08x}"
