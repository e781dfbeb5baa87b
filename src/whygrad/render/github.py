"""Annotations for GitHub Actions: one line a finding, shown at its line of the changed files.

The form is that of the workflow commands ``::error file=...,line=...,title=...::message``
(https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands), with the escapes of the runner's
own library (``toolkit/packages/core/src/command.ts``).
"""

from __future__ import annotations

from pathlib import Path

from whygrad.finding import Finding, Report
from whygrad.notebooks.cells import place
from whygrad.render._repository import spot
from whygrad.render._text import clean, fold, shorten
from whygrad.render._words import VERDICTS, headline

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_TITLE, _PARAGRAPH, _FILE = 200, 1000, 1000


def render(report: Report, notes: bool = False, root: Path | None = None, **_: object) -> str:
    """The verdict for the log of the job, then one command a finding. ``notes``: notes and suppressed findings too.

    ``root`` is the folder that the report's file names start from."""
    # a line that holds "##[" is a command too, wherever it stands in it
    verdict = f"{VERDICTS[report.verdict]}: {headline(report)}".replace("##[", "# #[")
    shown = report.findings if notes else report.loud()
    return "\n".join([verdict, *(_command(finding, root) for finding in shown), ""])


def _command(finding: Finding, root: Path | None) -> str:
    level = "notice" if finding.suppressed else _COMMANDS[finding.severity]
    properties = {"title": shorten(f"whygrad: {clean(finding.rule)}", _TITLE)}
    if finding.causes:
        first = spot(finding.causes[0].file, finding.causes[0].line, root)
        if first.path:
            # the lines of a cell are not those of the notebook's file
            at = {} if first.cell else {"line": str(first.line)}
            properties = {"file": shorten(clean(first.path), _FILE), **at, **properties}
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    message = "\n".join(_message(finding))
    return f"::{level} {written}::{_data(message)}"


def _message(finding: Finding) -> list[str]:
    lines = [clean(finding.title) + (" (suppressed)" if finding.suppressed else "")]
    lines += [
        f"In {_where(site.file, site.line)}" for site in finding.causes[:1] if spot(site.file, 1, None).cell
    ]
    lines += [f"Fix: {clean(line)}" for line in finding.fix.splitlines() if line.strip()]
    lines += [f"See also {_where(site.file, site.line)} ({clean(site.role)})" for site in finding.causes[1:4]]
    lines += [f"Parameters: {line}" for line in fold(finding.parameters)]
    if finding.proof.state != "not-run":
        lines.append(f"{finding.proof.state.replace('-', ' ').capitalize()}: {clean(finding.proof.text)}")
    lines.append(f"More: whygrad explain {clean(finding.rule)}")
    return [shorten(line, _PARAGRAPH) for line in lines]


def _where(file: str, line: int) -> str:
    return place(shorten(clean(file), _FILE), line)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
