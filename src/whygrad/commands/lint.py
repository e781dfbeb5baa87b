"""``whygrad lint``: look for the faults that can be seen in the source."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from whygrad import reporting
from whygrad.config import Config, FailOn, load
from whygrad.errors import UsageError, suggestion
from whygrad.lint import showing
from whygrad.lint.checking import slugs
from whygrad.lint.files import Exclude, find
from whygrad.lint.gathering import gather, told
from whygrad.lint.report import FORMATS, LintReport, as_github, as_json, as_sarif
from whygrad.lint.work import Task, work
from whygrad.reporting import Settings
from whygrad.running.streams import Look, say
from whygrad.running.telling import CANNOT_WORK


@click.command("lint")
@click.option("--fix", is_flag=True, help="Mend what can be mended safely.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix or --diff: also mend what may change more than the fault.",
)
@click.option(
    "--select", multiple=True, metavar="RULE", help="Only this rule (again, or with commas, for more)."
)
@click.option(
    "--ignore", multiple=True, metavar="RULE", help="Not this rule (again, or with commas, for more)."
)
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave these files or folders out.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to show the findings [terminal].")
@click.option(
    "--output", type=click.Path(readable=False, path_type=Path), metavar="FILE", help="Write them to FILE."
)
@click.option("--statistics", is_flag=True, help="Show only how often each rule found something.")
@click.option(
    "--fail-on",
    type=click.Choice(get_args(FailOn)),
    help="Give exit status 1 for findings of this severity or worse [error].",
)
@click.option("--notes", is_flag=True, help="Show notes too: what is worth knowing and harms nothing.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...", type=click.Path(readable=False, path_type=Path))
def command(  # noqa: PLR0913  # one parameter an option
    *,
    fix: bool,
    diff: bool,
    unsafe_fixes: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exclude: tuple[str, ...],
    form: str | None,
    output: Path | None,
    statistics: bool,
    fail_on: FailOn | None,
    notes: bool,
    paths: tuple[Path, ...],
) -> int:
    """Look in Python files, notebooks and folders for what keeps a model from learning, without running anything.

    Exit status: 0 nothing found, 1 something found at or above --fail-on, 2 the command was used wrongly, or no file
    could be checked.
    """
    folder = reporting.working_folder()
    config = load(folder)
    settings = Settings(
        format=form or (config.format if config.format in FORMATS else None) or "terminal",
        output=reporting.writable(output),
        fail_on=fail_on or config.fail_on or "error",
        notes=notes,
    )
    if unsafe_fixes and not (fix or diff):
        raise UsageError("--unsafe-fixes changes nothing by itself; give it together with --fix or --diff.")
    excludes = (
        Exclude(config.source.parent if config.source else folder, config.lint.exclude),
        Exclude(folder, exclude),
    )
    files = find(paths or (Path(),), excludes)
    task = Task(folder, _rules(config, select, ignore), fix or diff, unsafe_fixes, notes, look=diff)
    report = gather(
        told(work(files, task), len(files)), changing=fix and not diff, stream=None if output else sys.stdout
    )
    status = int(any(reporting.counts(finding, settings.fail_on) for finding in report.loud()))
    if files and len(report.problems) == len(files):
        status = CANNOT_WORK
    _emit(report, settings, folder, status, statistics, diff)
    return status


def _rules(config: Config, select: Sequence[str], ignore: Sequence[str]) -> tuple[str, ...]:
    """The rules to look for: the command line goes before the configuration."""
    chosen = _known("--select", select) or _known(f"{config.source}: select", config.lint.select) or slugs()
    ignored = _known("--ignore", ignore) or _known(f"{config.source}: ignore", config.lint.ignore)
    return tuple(slug for slug in chosen if slug not in ignored)


def _known(where: str, given: Sequence[str]) -> tuple[str, ...]:
    """The rules that an option names, which may hold several with commas. Raises UsageError."""
    names = tuple(name.strip() for text in given for name in text.split(",") if name.strip())
    for name in names:
        if name not in slugs():
            hint = suggestion(name, slugs()) or f"; it has {', '.join(slugs())}."
            raise UsageError(f"{where}: whygrad lint has no rule {name!r}{hint}")
    return names


def _emit(
    report: LintReport, settings: Settings, root: Path, status: int, statistics: bool, diff: bool
) -> None:
    for problem in report.problems:
        say(str(problem))
    head = showing.heading(report)
    if settings.format == "json":
        text = as_json(report, settings.notes)
    elif settings.format == "sarif":
        text = as_sarif(report, settings.notes, root, status, head)
    elif settings.format == "github":
        text = as_github(report, settings.notes, root, head)
    else:
        look = Look() if settings.output else Look.of(sys.stdout)
        text = showing.text(report, look, root, settings.notes, statistics, diff)
    reporting.put(text, settings, sys.stdout)
    if settings.output:
        say(f"{head.rstrip('.')}; the report is in {settings.output}.")
