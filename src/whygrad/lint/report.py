"""What ``whygrad lint`` has to say about all files, and how it is shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from whygrad import __version__
from whygrad.finding import Finding, Report
from whygrad.render import renderer

SCHEMA = "whygrad.lint/1"
FORMATS = ("terminal", "json", "sarif", "github")


class Problem(msgspec.Struct, frozen=True):
    """A file that could not be checked or written, and why."""

    file: str
    text: str

    def __str__(self) -> str:
        """As a sentence."""
        return f"{self.file}: {self.text}."


class LintReport(msgspec.Struct, frozen=True):
    """The findings in all files. ``files`` counts those that were checked, ``fixes`` the faults that were mended (or, with
    ``--diff``, would be), ``changed`` the files in which; ``problems`` are the files that could not be checked."""

    files: int
    seconds: float
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    fixes: int = 0
    changed: int = 0

    def loud(self) -> tuple[Finding, ...]:
        """The findings a user sees without asking."""
        return tuple(f for f in self.findings if f.severity != "note" and not f.suppressed)

    def shown(self, notes: bool) -> tuple[Finding, ...]:
        """Those that are shown: with ``notes``, notes too."""
        return tuple(f for f in self.findings if (notes or f.severity != "note") and not f.suppressed)


def statistics(findings: Iterable[Finding]) -> dict[str, int]:
    """How often each rule found something, the most frequent first."""
    return dict(sorted(Counter(f.rule for f in findings).items(), key=lambda pair: (-pair[1], pair[0])))


def as_json(report: LintReport, notes: bool) -> str:
    """The report as JSON, ``schema`` first."""
    findings = report.findings if notes else tuple(f for f in report.findings if f.severity != "note")
    fields: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(report, findings=findings))
    document = {
        "schema": SCHEMA,
        "environment": {"whygrad": __version__},
        **fields,
        "statistics": statistics(report.shown(notes)),
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def as_run_report(report: LintReport) -> Report:
    """The findings in the form that the renderers for code hosts take."""
    severities = {finding.severity for finding in report.loud()}
    return Report(
        verdict="does-not-train" if "error" in severities else "suspect" if severities else "trains",
        script="",
        steps=0,
        backwards=0,
        seconds=report.seconds,
        environment={"whygrad": __version__},
        findings=report.findings,
        incomplete=tuple(map(str, report.problems)),
    )


def as_sarif(report: LintReport, notes: bool, root: Path, status: int, heading: str) -> str:
    """SARIF 2.1.0; what it says of a run is said of the check."""
    text = renderer("sarif")(as_run_report(report), notes=notes, root=root, status=status)
    document = json.loads(text)
    for run in document["runs"]:
        run["properties"] = {"files": report.files}
        for invocation in run["invocations"]:
            invocation["exitCodeDescription"] = heading
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def as_github(report: LintReport, notes: bool, root: Path, heading: str) -> str:
    """Annotations for GitHub Actions, after a heading of our own."""
    text = renderer("github")(as_run_report(report), notes=notes, root=root)
    return f"{heading}\n{text.partition(chr(10))[2]}"
