"""``whygrad report``: render a saved record again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from whygrad import records, reporting
from whygrad.config import Config
from whygrad.diagnose import diagnose
from whygrad.reporting import Settings, report_options
from whygrad.streams import Look, say
from whygrad.suppression import suppress
from whygrad.trace import load


@click.command("report")
@report_options
@click.argument("record", required=False, type=click.Path(readable=False, path_type=Path))
def command(*, record: Path | None, settings: Settings, config: Config) -> int:
    """Show the report of RECORD, or of the last run in this folder, or else of the last run.

    The report goes to standard output. Exit status: 0 nothing found, 1 something found at or above --fail-on,
    2 the record cannot be read.
    """
    cwd = str(Path.cwd())
    path = record or records.last(cwd)
    trace = load(path)
    if record is None and not records.is_from(path, cwd):
        say(f"there is no record of a run in {cwd}; this is the last one, of {trace.script} in {trace.cwd}.")
    root = trace.cwd or cwd
    report = suppress(diagnose(trace, select=settings.select, ignore=settings.ignore), root)
    reporting.emit(report, settings, sys.stdout, Look.of(sys.stdout), Path(root))
    if settings.output:
        say(f"{reporting.summary(report)}; the report is in {settings.output}.")
    return reporting.status(report, settings.fail_on)
