"""The store of a monitored run: an SQLite file that is written in transactions, and can be read meanwhile.

The rollback journal (SQLite's default) is used, not the write-ahead log: it works on network file systems too, leaves one
file, and a process that is killed loses the transaction under way and nothing else. Nothing here imports torch.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from whygrad.monitor.rows import UNSEEN, Alarm, Row, Track, pack

#: 1: first format (2026-11).
FORMAT = 1
MAGIC = b"SQLite format 3\x00"
#: What the rows may take, in bytes; how many are kept in any case; and how many at most, in the summary too.
ROW_BYTES, LEAST_ROWS, MOST_ROWS = 48 * 2**20, 64, 20_000
_PAGE, _SMALL, _OVERHEAD = 4096, 1000, 200
_WAIT = 1.0  #: seconds for a lock that another process holds

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tracks(number INTEGER PRIMARY KEY, content TEXT);
CREATE TABLE IF NOT EXISTS rows(id INTEGER PRIMARY KEY, track INTEGER, step INTEGER, content BLOB, norms BLOB, details BLOB);
CREATE TABLE IF NOT EXISTS summary(id INTEGER PRIMARY KEY, track INTEGER, step INTEGER, time REAL, loss REAL, total REAL,
    unclipped REAL, lr REAL, skipped INTEGER);
CREATE TABLE IF NOT EXISTS alarms(id INTEGER PRIMARY KEY, step INTEGER, content TEXT);
CREATE TABLE IF NOT EXISTS reports(id INTEGER PRIMARY KEY, step INTEGER, kind TEXT, content TEXT);
"""


class Meta(msgspec.Struct):
    """What a store says of its run. ``ended``: ``running``, ``end``, ``raised``, ``interrupted``; ``updated``: seconds since
    1970 of the last batch. ``frozen``: parameters that no optimizer has and that require no gradient. ``process``: which one
    writes (see ``process.own``)."""

    script: str
    argv: tuple[str, ...] = ()
    cwd: str = ""
    environment: dict[str, str | int] = {}
    began: float = 0.0
    updated: float = 0.0
    seconds: float = 0.0
    ended: str = "running"
    error: str = ""
    step: int = 0
    steps: int | None = None
    guess: float | None = None
    frozen: dict[str, tuple[int, ...]] = {}
    problems: tuple[str, ...] = ()
    process: str = ""


class Batch(msgspec.Struct):
    """What is written in one transaction."""

    meta: Meta
    tracks: list[Track] = []
    rows: list[Row] = []
    alarms: list[Alarm] = []
    reports: list[tuple[int, str, str]] = []


class Point(msgspec.Struct, frozen=True):
    """A row of the summary: one measured step. ``loss`` and ``total`` are infinite also where they were NaN, which SQLite
    could not tell from one that was not seen."""

    track: int
    step: int
    time: float
    loss: float | None
    total: float | None
    unclipped: float | None
    lr: float | None
    skipped: int


class Writer:
    """Writes one store. To be used in one thread; every method may raise ``sqlite3.Error`` or ``OSError``."""

    def __init__(
        self, path: Path, limit: int = ROW_BYTES, least: int = LEAST_ROWS, points: int = MOST_ROWS
    ) -> None:
        self._path, self._limit, self._least, self._points = path, limit, least, points
        path.parent.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
        with self._transaction():
            for statement in filter(str.strip, _SCHEMA.split(";")):
                self._base.execute(statement)
            self._base.execute("INSERT OR IGNORE INTO meta VALUES('format', ?)", (str(FORMAT),))
        self._size, self._count = self._measured()
        (self._summary,) = self._base.execute("SELECT count(*) FROM summary").fetchone()

    def write(self, batch: Batch) -> None:
        """One transaction: all of it or nothing."""
        with self._transaction():
            run = self._base.execute
            run("INSERT OR REPLACE INTO meta VALUES('run', ?)", (_json(batch.meta),))
            for track in batch.tracks:
                run("INSERT OR REPLACE INTO tracks VALUES(?, ?)", (track.number, _json(track)))
            for alarm in batch.alarms:
                run("INSERT INTO alarms(step, content) VALUES(?, ?)", (alarm.step, _json(alarm)))
            for report in batch.reports:
                run("INSERT INTO reports(step, kind, content) VALUES(?, ?, ?)", report)
            size = self._size + sum([self._add(row) for row in batch.rows])
            count = self._count + len(batch.rows)
            if count > self._points or (size > self._limit and count > self._least):
                thin(self._base, "rows", count)
                size, count = self._measured()
            summary = self._summary + len(batch.rows)
            if summary > self._points:
                thin(self._base, "summary", summary)
                (summary,) = self._base.execute("SELECT count(*) FROM summary").fetchone()
        self._size, self._count, self._summary = size, count, summary

    def _add(self, row: Row) -> int:
        norms, details = pack(row)
        content = msgspec.msgpack.encode(_without_numbers(row))
        self._base.execute(
            "INSERT INTO rows(track, step, content, norms, details) VALUES(?, ?, ?, ?, ?)",
            (row.track, row.step, content, norms, details),
        )
        self._base.execute(
            "INSERT INTO summary(track, step, time, loss, total, unclipped, lr, skipped) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            (row.track, row.step, row.time, _loss(row), _total(row), row.unclipped, row.lr(), row.skipped),
        )
        return taken(len(norms) + len(details) + len(content))

    def _measured(self) -> tuple[int, int]:
        """The bytes that the rows take, and how many there are."""
        query = "SELECT length(norms) + length(details) + length(content) FROM rows"
        sizes = [taken(length) for (length,) in self._base.execute(query)]
        return sum(sizes), len(sizes)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._base.execute("COMMIT")
        except BaseException:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()


def taken(length: int) -> int:
    """The bytes that a row of so many takes in the file, at most: a large one leaves a part of its last page empty, the pages
    of small ones are half empty after they were thinned."""
    return 2 * length + _OVERHEAD if length < _SMALL else -(-(length + _OVERHEAD) // _PAGE) * _PAGE


def thin(base: sqlite3.Connection, table: str, count: int) -> None:
    """Leave out every second of the older three quarters of a table's rows. What was thinned before is thinned again, so
    that detail fades with age. The very first rows stay."""
    (edge,) = base.execute(
        f"SELECT id FROM {table} ORDER BY id LIMIT 1 OFFSET ?",  # noqa: S608
        (count * 3 // 4,),
    ).fetchone()
    base.execute(
        f"DELETE FROM {table} WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM {table} "  # noqa: S608
        "WHERE id < ?) WHERE n % 2 = 0)",
        (edge,),
    )


def is_store(path: Path) -> bool:
    """Whether a file is a database, and so the store of a monitored run."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _total(row: Row) -> float:
    total = row.total()
    return math.inf if total != total and any(n != UNSEEN for n in row.norms) else total


def _loss(row: Row) -> float | None:
    return math.inf if row.loss is not None and row.loss != row.loss else row.loss


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _without_numbers(row: Row) -> Mapping[str, Any]:
    fields: dict[str, Any] = msgspec.structs.asdict(row)
    return {**fields, "norms": (), "details": {}, "sums": ()}
