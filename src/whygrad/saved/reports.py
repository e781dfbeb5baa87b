"""Reports from files: of a record, which the rules judge anew, or one that was saved as JSON."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from whygrad.diagnose import diagnose
from whygrad.errors import UsageError
from whygrad.finding import SCHEMA, Report
from whygrad.monitor.reading import Reader
from whygrad.monitor.store import is_store
from whygrad.monitor.stored_report import report_of
from whygrad.suppression import suppress, verdict_of
from whygrad.trace import load


@dataclass(frozen=True)
class Saved:
    """A report, and the folder that its file names start from: that of the run, where it is known."""

    report: Report
    root: Path
    path: Path


def read(path: Path, select: Collection[str] = (), ignore: Collection[str] = ()) -> Saved:
    """The report of a record, or a JSON report, with only the findings of the rules that are asked for.

    Raises TraceError or UsageError, one sentence, for a file that is neither."""
    if _is_json(path):
        report = _decoded(path)
        kept = tuple(f for f in report.findings if (not select or f.rule in select) and f.rule not in ignore)
        verdict = verdict_of(report.verdict, kept)
        return Saved(msgspec.structs.replace(report, findings=kept, verdict=verdict), Path.cwd(), path)
    if is_store(path):
        return Saved(report_of(path, select, ignore), _folder(path), path)
    trace = load(path)
    root = Path(trace.cwd or Path.cwd())
    return Saved(suppress(diagnose(trace, select=select, ignore=ignore), str(root)), root, path)


def _folder(path: Path) -> Path:
    """The folder that a monitored run was started in."""
    reader = Reader(path)
    try:
        return Path(reader.meta().cwd or Path.cwd())
    finally:
        reader.close()


def _is_json(path: Path) -> bool:
    """Whether a file begins as a JSON object does. What cannot be read is left to :func:`whygrad.trace.load`."""
    try:
        with path.open("rb") as file:
            return file.read(200).lstrip().startswith(b"{")
    except OSError:
        return False


def _decoded(path: Path) -> Report:
    try:
        fields: Any = msgspec.json.decode(path.read_bytes())
        schema = fields.get("schema")
        if schema != SCHEMA:
            raise UsageError(
                f"{path} is no JSON report of whygrad that this version reads (its schema is {schema!r}, not {SCHEMA!r}); "
                "give a record, or what `whygrad report --format json` wrote."
            )
        _finite(fields)
        return msgspec.convert(fields, Report)
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
        raise UsageError(
            f"{path} is damaged ({error}); save the report again: whygrad report --format json"
        ) from error


def _finite(fields: dict[str, Any]) -> None:
    """JSON has null for numbers that are not finite; where a report must hold a number, put one back."""
    losses, overfit = fields.get("losses"), fields.get("overfit")
    if isinstance(losses, list):
        fields["losses"] = [math.nan if value is None else value for value in losses]
    if isinstance(overfit, dict) and isinstance(moved := overfit.get("least_moved"), dict):
        overfit["least_moved"] = {key: math.nan if value is None else value for key, value in moved.items()}
