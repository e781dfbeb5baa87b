"""``# whygrad: ignore[slug]`` on the line of a cause: the finding is kept, but no longer counts."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from whygrad.finding import Finding, Report, Site, VerdictName

_COMMENT = re.compile(r"#\s*whygrad:\s*ignore\b(?:\s*\[([^\]]*)\])?", re.IGNORECASE)


def suppress(report: Report, cwd: str) -> Report:
    """Mark the findings that a comment in the source asks to ignore, and judge the run without them.

    ``cwd`` is the folder that relative file names in the report start from."""
    linecache.checkcache()
    findings = tuple(
        msgspec.structs.replace(finding, suppressed=True) if _is_ignored(finding, cwd) else finding
        for finding in report.findings
    )
    if findings == report.findings:
        return report
    return msgspec.structs.replace(report, findings=findings, verdict=verdict_of(report.verdict, findings))


def _is_ignored(finding: Finding, cwd: str) -> bool:
    return any(asks_to_ignore(_line(site, cwd), finding.rule) for site in finding.causes)


def asks_to_ignore(line: str, rule: str) -> bool:
    """Whether a comment in this line of source asks to ignore the rule."""
    return any(
        match[1] is None or rule in re.split(r"[\s,]+", match[1].strip().lower())
        for match in _COMMENT.finditer(line)
    )


def _line(site: Site, cwd: str) -> str:
    """The line as it is now, if the same code still stands there; else as it was when it was observed."""
    line = linecache.getline(str(Path(cwd, site.file)), site.line)
    return line if site.code.strip() in line else site.code


def verdict_of(verdict: VerdictName, findings: Iterable[Finding]) -> VerdictName:
    """The word for a run judged ``verdict`` once only these findings count, and of them only those not suppressed.
    What was not seen stays not seen."""
    if verdict not in ("does-not-train", "suspect"):
        return verdict
    severities = {finding.severity for finding in findings if not finding.suppressed}
    if "error" in severities:
        return "does-not-train"
    return "suspect" if "warning" in severities else "trains"
