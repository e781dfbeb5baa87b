"""``whygrad report``: render a saved record again, list the records, compare two."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from whygrad import reporting
from whygrad.config import Config
from whygrad.errors import UsageError
from whygrad.monitor import following
from whygrad.monitor.store import is_store
from whygrad.render._comparison import comparison_json, comparison_text
from whygrad.render._records import records_table
from whygrad.reporting import Settings, report_options
from whygrad.running.streams import Look, is_terminal, say
from whygrad.saved import records
from whygrad.saved import reports as saved
from whygrad.saved.comparing import compare
from whygrad.saved.listing import as_json, entries

_RECORD = click.Path(readable=False, path_type=Path)


@click.command("report")
@report_options
@click.option("--list", "listed", is_flag=True, help="List the records that are kept.")
@click.option(
    "--against",
    type=_RECORD,
    metavar="OLD",
    help="Compare with OLD: what trains now, which findings are new.",
)
@click.option(
    "--follow", is_flag=True, help="Show a monitored run while it goes on; the report comes when it is over."
)
@click.argument("record", required=False, type=_RECORD)
def command(  # one parameter an option
    *,
    record: Path | None,
    against: Path | None,
    listed: bool,
    follow: bool,
    settings: Settings,
    config: Config,
) -> int:
    """Show the report of RECORD, or of the last run in this folder, or else of the last run.

    RECORD and OLD are a record, its number in --list, or a report that was saved as JSON. The report goes to
    standard output. Exit status: 0 nothing found, 1 something found at or above --fail-on (with --against:
    something that OLD did not have), 2 the record cannot be read.
    """
    if listed or against is not None:
        _refuse_other(settings, "--list" if listed else "--against")
    if listed:
        if record is not None or against is not None:
            raise UsageError("--list lists all the records; give it alone.")
        return _list(settings)
    if against is not None:
        return _compare(record, against, settings)
    if follow:
        record = _follow(record)
    found = _read(record, settings)
    status = reporting.status(found.report, settings.fail_on)
    reporting.emit(found.report, settings, sys.stdout, Look.of(sys.stdout), found.root, status)
    if settings.output:
        say(f"{reporting.summary(found.report)}; the report is in {settings.output}.")
    return status


def _read(record: Path | None, settings: Settings) -> saved.Saved:
    """The report that is asked for."""
    cwd = str(Path.cwd())
    path = records.last(cwd) if record is None else records.named(record)
    found = saved.read(path, settings.select, settings.ignore)
    if record is None and not records.is_from(path, cwd):
        say(
            f"there is no record of a run in {cwd}; this is the last one, of {found.report.script} in {found.root}."
        )
    return found


def _follow(record: Path | None) -> Path:
    """Show the run until it is over, or until Ctrl-C: which record it is. A plain record is over already."""
    path = records.last(str(Path.cwd())) if record is None else records.named(record)
    if is_store(path):
        following.follow(path, sys.stderr)
    return path


def _compare(record: Path | None, against: Path, settings: Settings) -> int:
    old = saved.read(records.named(against), settings.select, settings.ignore)
    new = _read(record, settings)
    if old.path.exists() and new.path.exists() and old.path.samefile(new.path):
        raise UsageError(f"{against} is the record itself; `whygrad report --list` shows the others.")
    comparison = compare(old.report, new.report, settings.notes)
    look = Look() if settings.output else Look.of(sys.stdout)
    draw = comparison_text(comparison, look.width, look.colour, look.unicode)
    reporting.put(comparison_json(comparison) if settings.format == "json" else draw, settings, sys.stdout)
    if settings.output:
        say(f"the comparison is in {settings.output}.")
    return int(any(reporting.counts(finding, settings.fail_on) for finding in comparison.fails()))


def _list(settings: Settings) -> int:
    from rich.console import Console
    from rich.progress import track

    paths = records.newest_first()
    # every record is judged anew; with large ones that takes a moment
    quiet = not is_terminal(sys.stderr)
    progress = track(paths, "reading records", console=Console(stderr=True), transient=True, disable=quiet)
    found = list(entries(progress))
    look = Look() if settings.output else Look.of(sys.stdout)
    table = records_table(found, str(Path.cwd()), look.width, look.colour, look.unicode)
    reporting.put(as_json(found) if settings.format == "json" else table, settings, sys.stdout)
    if settings.output:
        say(f"the list is in {settings.output}.")
    return 0


def _refuse_other(settings: Settings, option: str) -> None:
    if settings.open:
        raise UsageError(f"--open shows one report as html; leave it out with {option}.")
    if settings.format not in ("terminal", "json"):
        raise UsageError(
            f"{option} is shown as terminal or json, not as {settings.format}; add --format terminal."
        )
