"""From a report to what the user gets: the options for it, where it goes, and the exit status."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar, get_args

import click

from whygrad import opening, render
from whygrad.config import Config, FailOn, load
from whygrad.errors import UsageError, suggestion
from whygrad.finding import Finding, Report
from whygrad.running.streams import Look, say, write

T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """What the user wants of a report: from the command line, else from ``pyproject.toml``, else as it is here."""

    format: str = "terminal"
    output: Path | None = None
    fail_on: FailOn = "error"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    notes: bool = False
    open: bool = False


def report_options(function: Callable[..., T]) -> Callable[..., T]:
    """Give a command the options that all reports share; it gets them, checked, as ``settings`` and ``config``."""

    @functools.wraps(function)
    def command(  # one parameter an option
        *,
        format: str | None,  # noqa: A002
        output: Path | None,
        fail_on: FailOn | None,
        select: tuple[str, ...],
        ignore: tuple[str, ...],
        notes: bool,
        opens: bool,
        **others: Any,
    ) -> T:
        config = load(working_folder())
        settings = Settings(
            format=_shown_format(format) if opens else _known_format(format, config),
            output=writable(output or (opening.DEFAULT if opens else None)),
            fail_on=fail_on or config.fail_on or "error",
            select=_known_rules("--select", select) or _known_rules("select", config.select, config.source),
            ignore=_known_rules("--ignore", ignore) or _known_rules("ignore", config.ignore, config.source),
            notes=notes,
            open=opens,
        )
        return function(settings=settings, config=config, **others)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--format",
        metavar="FORMAT",
        help=f"How to show the report: {', '.join(render.formats())} [terminal].",
    ),
    click.option(
        "--output",
        type=click.Path(readable=False, path_type=Path),
        metavar="FILE",
        help="Write the report to FILE.",
    ),
    click.option(
        "--fail-on",
        type=click.Choice(get_args(FailOn)),
        help="Give exit status 1 for findings of this severity or worse [error].",
    ),
    click.option(
        "--select", multiple=True, metavar="RULE", help="Only this rule (again, or with commas, for more)."
    ),
    click.option(
        "--ignore", multiple=True, metavar="RULE", help="Not this rule (again, or with commas, for more)."
    ),
    click.option(
        "--notes", is_flag=True, help="Show notes too: what is worth knowing and no reason to worry."
    ),
    click.option(
        "--open",
        "opens",
        is_flag=True,
        help=f"Open the HTML report, in {opening.DEFAULT} unless --output is given.",
    ),
)


def working_folder() -> Path:
    """The folder that the command runs in. Raises UsageError if it is gone."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("The folder you are in has been removed; go to one that exists.") from error


def _known_format(given: str | None, config: Config) -> str:
    name = given or config.format or "terminal"
    if name not in render.formats():
        where = "--format" if given else f"{config.source}: format"
        hint = suggestion(name, render.formats()) or f"; the formats are {', '.join(render.formats())}."
        raise UsageError(f"{where} is {name!r}, which is no format{hint}")
    return name


def _shown_format(given: str | None) -> str:
    if given not in (None, "html"):
        raise UsageError(f"--open shows the report as html, not as {given}; leave out --format, or --open.")
    return "html"


def _known_rules(option: str, given: Collection[str], source: Path | None = None) -> tuple[str, ...]:
    """The rules named by an option, which may hold several with commas."""
    slugs = tuple(slug.strip() for text in given for slug in text.split(",") if slug.strip())
    for slug in slugs:
        require_rule(slug, f"{source}: {option}" if source else option)
    return slugs


def require_rule(slug: str, where: str) -> None:
    """Raise UsageError, with what comes close, if there is no such rule."""
    from whygrad.diagnose import load_rules
    from whygrad.monitor.history import checks

    known = {slug for found in (*load_rules(), checks()) for slug in found}
    if slug not in known:
        hint = suggestion(slug, known) or "; `whygrad rules` lists the rules."
        raise UsageError(f"{where}: there is no rule {slug!r}{hint}")


def writable(output: Path | None) -> Path | None:
    """``output`` as an absolute path, for the script may go to another folder. It is tried before the script runs."""
    if output is None:
        return None
    path = output.absolute()
    problem = ""
    if path.is_dir():
        problem = "it is a folder; give the name of a file"
    elif not path.parent.is_dir():
        problem = f"there is no folder {str(path.parent)!r}; make it first"
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        problem = f"{'it' if path.exists() else 'its folder'} is read-only; give another place"
    if problem:
        raise UsageError(f"--output {str(output)!r} cannot be written: {problem}.")
    return path


def emit(
    report: Report,
    settings: Settings,
    stream: TextIO | None,
    look: Look,
    root: Path,
    exit_status: int | None = None,
) -> None:
    """Write the report to ``settings.output`` if there is one, else to ``stream``, which looks like ``look``.

    ``root`` is the folder that the file names in the report start from, ``exit_status`` that of the command."""
    if settings.output is not None:
        look = Look()
    draw = render.renderer(settings.format)
    options = {"width": look.width, "colour": look.colour, "unicode": look.unicode, "notes": settings.notes}
    text = draw(report, root=root, status=exit_status, **options)
    put(text, settings, stream)
    if settings.open and settings.output is not None:
        opening.show(settings.output, say)


def put(text: str, settings: Settings, stream: TextIO | None) -> None:
    """Write a text to ``settings.output`` if there is one, else to ``stream``. Raises UsageError if that fails."""
    try:
        if settings.output is None:
            write(text, stream)
        else:
            settings.output.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        where = f" to {settings.output}" if settings.output else ""
        reason = (error.strerror or str(error)).lower()
        raise UsageError(
            f"The report could not be written{where}: {reason}; "
            "unless --no-record was given, it can be had again: whygrad report --output FILE"
        ) from error


def summary(report: Report) -> str:
    """The findings in numbers: ``1 error and 2 warnings``."""
    counts = []
    for severity in ("error", "warning"):
        count = sum(f.severity == severity for f in report.loud())
        counts.append(f"{count or 'no'} {severity}{'' if count == 1 else 's'}")
    return " and ".join(counts)


def status(report: Report, fail_on: FailOn) -> int:
    """1 if the report holds something at or above ``fail_on``, else 0."""
    return int(any(counts(finding, fail_on) for finding in report.loud()))


def counts(finding: Finding, fail_on: FailOn) -> bool:
    """Whether a finding is at or above ``fail_on``."""
    bad = {"error": {"error"}, "warning": {"error", "warning"}, "never": set[str]()}[fail_on]
    return finding.severity in bad
