"""The lint report for a terminal: the verdict, then each fault with its place and its mend, then what to do next."""

from __future__ import annotations

from pathlib import Path

from whygrad.excerpt import Sources
from whygrad.finding import Finding, Site
from whygrad.lint.report import LintReport, statistics
from whygrad.notebooks.cells import place
from whygrad.render._page import LABEL, Page
from whygrad.render._text import clean, count, number, shorten
from whygrad.running.streams import Look

_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
_PLACES = 4
_COLUMN = 6


def heading(report: LintReport) -> str:
    """What was found, in one sentence."""
    loud = report.loud()
    files = count(report.files, "file")
    if not loud:
        return f"Nothing found in {files}."
    kinds = [
        count(sum(f.severity == severity for f in loud), severity)
        for severity in ("error", "warning")
        if any(f.severity == severity for f in loud)
    ]
    touched = len({finding.causes[0].file for finding in loud})
    return f"{' and '.join(kinds)} in {number(touched)} of {files}."


def mending(report: LintReport, only_shown: bool) -> str:
    """What ``--fix`` has done, ``--diff`` would do or either could do; empty if there is nothing to tell."""
    if report.fixes:
        verb = "would be mended" if only_shown else "mended"
        return f"{count(report.fixes, 'fault')} {verb} in {count(report.changed, 'file')}."
    safe = sum(bool(f.edits) and all(edit["safe"] for edit in f.edits) for f in report.loud())
    unsafe = sum(bool(f.edits) for f in report.loud()) - safe
    parts = [f"{number(safe)} can be mended by --fix"] if safe else []
    if unsafe:
        parts.append(f"{number(unsafe)} {'more ' if safe else 'can be mended '}by --fix --unsafe-fixes")
    return f"{', '.join(parts)}." if parts else ""


def text(report: LintReport, look: Look, root: Path, notes: bool, numbers: bool, only_shown: bool) -> str:
    """The whole report. ``numbers``: only how often each rule found something."""
    page = Page(look.width, look.colour, look.unicode)
    loud = report.loud()
    worst = "error" if any(f.severity == "error" for f in loud) else "warning"
    page.paragraph((heading(report), _STYLES[worst] if loud else "bold green"))
    shown = report.shown(notes)
    if numbers:
        _numbers(page, report, notes)
    else:
        sources = Sources(root)
        for finding in shown:
            _finding(page, finding, sources)
    hidden = sum(finding.suppressed for finding in report.findings)
    rest = [
        mending(report, only_shown),
        f"{count(hidden, 'finding')} suppressed by a comment in the source." if hidden else "",
        f"{count(len(report.problems), 'file')} could not be checked, see above." if report.problems else "",
        "whygrad lint reads the source only; `whygrad run` shows what a training really does."
        if loud
        else "",
    ]
    if any(rest):
        page.blank()
    for sentence in filter(None, rest):
        page.paragraph(sentence)
    return page.text()


def _finding(page: Page, finding: Finding, sources: Sources) -> None:
    page.blank()
    first = finding.causes[0]
    page.line(
        (_where(first), "bold cyan"), " ", (finding.severity, _STYLES[finding.severity]), f" {finding.rule}"
    )
    page.paragraph((shorten(clean(finding.title), 600), "bold"), indent=2)
    for at, line in sources.around(first, 0):
        page.cropped((f"{at:>{_COLUMN}} │ ", "dim"), clean(line[:1000]))
    page.entry("  Fix", [shorten(clean(finding.fix), 1000) + _how(finding)])
    for index, site in enumerate(finding.causes[1:_PLACES]):
        _also(page, site, "  Also" if index == 0 else "")
    confirm = finding.evidence.get("confirm")
    if confirm:
        page.entry("  Check", [(clean(str(confirm)), "cyan")])


def _where(site: Site) -> str:
    return place(shorten(clean(site.file), 300), site.line)


def _how(finding: Finding) -> str:
    if not finding.edits:
        return ""
    return " (--fix)" if all(edit["safe"] for edit in finding.edits) else " (--fix --unsafe-fixes)"


def _also(page: Page, site: Site, label: str) -> None:
    role = f" ({clean(site.role)})" if site.role else ""
    page.line((label.ljust(LABEL), "bold"), (_where(site), "cyan"), role)


def _numbers(page: Page, report: LintReport, notes: bool) -> None:
    found = statistics(report.shown(notes))
    if found:
        page.blank()
    width = max((len(number(n)) for n in found.values()), default=0)
    for rule, n in found.items():
        page.line(f"{number(n):>{width}}  {rule}")
