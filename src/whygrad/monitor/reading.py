"""Reading the store of a monitored run, also while it is being written. Nothing here imports torch."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from whygrad.monitor.rows import Alarm, Row, Track, unpack
from whygrad.monitor.store import FORMAT, Meta, Point
from whygrad.trace import TraceError

T = TypeVar("T")


class Reader:
    """Reads a store, also while it is being written. Raises TraceError, one sentence, where that cannot be done."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with path.open("rb") as file:
                file.read(1)
            self._base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=5.0)
            version = self._value("format")
        except OSError as error:
            raise TraceError(f"No record could be read at {path}: {error.strerror or error}.") from error
        except sqlite3.Error as error:
            raise self._damaged(error) from error
        if version != str(FORMAT):
            raise TraceError(
                f"{path} has store format {version}, this whygrad reads format {FORMAT}; use the whygrad that wrote it."
                if version
                else f"{path} is not a whygrad record; give a file that `whygrad run` or `whygrad.watch` wrote."
            )

    def meta(self) -> Meta:
        """What it says of the run."""
        text = self._value("run")
        if text is None:
            raise TraceError(
                f"{self._path} is empty: the run was ended before its first measured step was written."
            )
        return self._decode(text, Meta)

    def tracks(self) -> dict[int, Track]:
        """The parameters of each optimizer."""
        return {
            n: self._decode(c, Track)
            for n, c in self._all("SELECT number, content FROM tracks ORDER BY number")
        }

    def alarms(self) -> list[Alarm]:
        """All of them, in order."""
        return [
            self._decode(content, Alarm) for (content,) in self._all("SELECT content FROM alarms ORDER BY id")
        ]

    def reports(self, kind: str) -> list[tuple[int, str]]:
        """The reports that were attached (as JSON), each with its step."""
        return self._all("SELECT step, content FROM reports WHERE kind = ? ORDER BY id", (kind,))

    def points(self, after: int = 0) -> list[Point]:
        """The summary from a row on: first and last are always there, between them the older the thinner."""
        return [
            Point(*row)
            for row in self._all(
                "SELECT track, step, time, loss, total, unclipped, lr, skipped FROM summary WHERE id > ? ORDER BY id",
                (after,),
            )
        ]

    def rows(self, track: int, last: int | None = None) -> list[Row]:
        """The rows of a track in order; only the ``last`` ones, if given."""
        found = self._all(
            "SELECT content, norms, details FROM rows WHERE track = ? ORDER BY id DESC LIMIT ?",
            (track, -1 if last is None else last),
        )
        return [self._row(*one) for one in reversed(found)]

    def _row(self, content: bytes, norms: bytes, details: bytes) -> Row:
        try:
            row = msgspec.msgpack.decode(content, type=Row)
            row.norms, row.details = unpack(norms, details)
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            raise self._damaged(error) from error
        return row

    def _decode(self, text: str, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(text, type=kind)
        except msgspec.MsgspecError as error:
            raise self._damaged(error) from error

    def _value(self, key: str) -> str | None:
        found = self._all("SELECT value FROM meta WHERE key = ?", (key,))
        return found[0][0] if found else None

    def _all(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._base.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> TraceError:
        return TraceError(f"{self._path} cannot be read as a record of a monitored run ({error}).")

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()
