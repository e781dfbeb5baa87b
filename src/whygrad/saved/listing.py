"""The records that are kept, each with what it says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from whygrad.errors import UsageError
from whygrad.saved import records
from whygrad.saved.reports import read
from whygrad.trace import TraceError

SCHEMA = "whygrad.records/1"


class Entry(msgspec.Struct, frozen=True):
    """A record. ``number`` names it to the commands, 1 is the newest; ``when`` is ISO 8601, in UTC; ``script`` and
    ``folder``: what was run, and where; ``verdict``: as in a report; empty, with a ``problem``, if it cannot be read."""

    number: int
    when: str
    script: str
    folder: str
    verdict: str
    steps: int
    path: str
    problem: str = ""


def entries(paths: Iterable[Path]) -> Iterator[Entry]:
    """What there is to say of each record; the rules judge each anew."""
    for number, path in enumerate(paths, 1):
        when = records.made(path).isoformat(timespec="seconds")
        try:
            saved = read(path)
        except (TraceError, UsageError) as error:
            yield Entry(number, when, "", "", "", 0, str(path), str(error))
        else:
            report = saved.report
            yield Entry(number, when, report.script, str(saved.root), report.verdict, report.steps, str(path))


def as_json(found: Iterable[Entry]) -> str:
    """The contract ``whygrad.records/1`` (``docs/records.md``)."""
    listed = msgspec.to_builtins(list(found))
    about = {"schema": SCHEMA, "folder": str(records.folder()), "kept": records.KEPT}
    return json.dumps({**about, "records": listed}, indent=1) + "\n"
