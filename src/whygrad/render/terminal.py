"""The report for a terminal: the verdict first, then each cause, its place and its mend, then the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len

from whygrad.excerpt import Sources
from whygrad.finding import Finding, Report, Site, Step
from whygrad.notebooks.cells import place
from whygrad.render._page import LABEL, Page, shorten_cells
from whygrad.render._summary import numbers, parameter_table
from whygrad.render._text import clean, count, evidence, fold, short_name, shorten
from whygrad.render._words import VERDICTS, headline, on_ranks

_STYLES = {
    "error": "bold red", "warning": "bold yellow", "note": "bold cyan",
    "does-not-train": "bold red", "suspect": "bold yellow",
    "trains": "bold green", "incomplete": "bold magenta",
}  # fmt: skip
_BREAKS = {"cut": "cut here", "zero": "gradient lost here", "lost": "lost here"}
_IN_FULL = 8  #: findings drawn in full; the rest of a long list is named in one line each
_TITLES = 40
_STATIONS = 8
_FILE = 300


def render(
    report: Report,
    width: int = 80,
    colour: bool = False,
    notes: bool = False,
    table: bool | None = None,
    unicode: bool = True,
    root: Path | None = None,
    **_: object,
) -> str:
    """Draw ``report`` as text.

    ``notes`` shows notes and suppressed findings too; ``table`` forces the table of parameters on or off (by
    itself it is shown when short); ``unicode=False`` keeps to ASCII; ``root`` is the folder that the
    report's file names start from (by default the current one), where source lines are read."""
    page = Page(width, colour, unicode)
    sources = Sources(root)
    page.paragraph((f"{VERDICTS[report.verdict]}: ", _STYLES[report.verdict]), (headline(report), "bold"))
    if report.raised:
        page.paragraph(f"The script raised {shorten(clean(report.raised), 400)}")
    shown = report.findings if notes else report.loud()
    for finding in shown[:_IN_FULL]:
        _finding(page, finding, sources, on_ranks(finding, report))
    if len(shown) > _IN_FULL:
        _titles(page, shown[_IN_FULL:])
    numbers(page, report)
    if table or (table is None and 0 < len(report.parameters) <= 12):
        parameter_table(page, report)
    return page.text()


def _finding(page: Page, finding: Finding, sources: Sources, ranks: str) -> None:
    """One cause: what is wrong, where, how to mend it, and how it is known."""
    page.blank()
    suppressed = " (suppressed)" if finding.suppressed else ""
    page.rule(f"{finding.severity}: {clean(finding.rule)}{suppressed}", _STYLES[finding.severity])
    page.paragraph((shorten(clean(finding.title), 600), "bold"))
    for site in finding.causes[:1]:
        page.blank()
        _place(page, site, "")
        _excerpt(page, site, sources)
    page.blank()
    mend = [line for line in finding.fix.splitlines() if line.strip()]
    page.entry("Fix", *([shorten(clean(line), 1000)] for line in mend))
    for number, site in enumerate(finding.causes[1:6]):
        _also(page, site, "Also" if number == 0 else "")
    if len(finding.causes) > 6:
        page.entry("", [f"and {count(len(finding.causes) - 6, 'further place')}"])
    if finding.path:
        _path(page, finding)
    page.entry("Seen", *([phrase] for phrase in evidence(finding.evidence)))
    stops = "Stops" if 1 <= finding.link <= 9 else "About"
    page.entry(stops, *([line] for line in fold(finding.parameters)))
    if ranks:
        page.entry("Ranks", [ranks])
    if finding.proof.state != "not-run":
        state = finding.proof.state.replace("-", " ").capitalize()
        page.entry("Proof", [f"{state}: {shorten(clean(finding.proof.text), 1000)}".removesuffix(": ")])
    page.entry("More", [(f"whygrad explain {clean(finding.rule)}", "cyan")])


def _place(page: Page, site: Site, label: str) -> None:
    """``file:line in function (role)``: the place unbroken, the rest below it where it would not fit."""
    where = place(shorten(clean(site.file), _FILE), site.line)
    function = f"in {short_name(site.function)}" if site.function else ""
    role = f"({shorten(clean(site.role), 40)})" if site.role else ""
    tail = " ".join(part for part in (function, role) if part)
    fits = len(label) + cell_len(where) + cell_len(tail) < page.width
    page.line((label, "bold"), (where, "bold cyan"), f" {tail}" if fits else "")
    if tail and not fits:
        page.paragraph(tail, indent=len(label) + 2)


def _excerpt(page: Page, site: Site, sources: Sources) -> None:
    """The source line, marked, with its neighbours where the file can be read."""
    lines = sources.around(site, context=2)
    digits = max((len(str(number)) for number, _ in lines), default=0)
    for number, text in lines:
        here = number == site.line
        if here:
            # the line to look at is shown whole, its neighbours only as far as there is room
            gutter = page.styled((f"  > {number:>{digits}} │ ", "bold"))
            page.paragraph((shorten(clean(text), 400), "bold"), indent=gutter.cell_len, first=gutter)
        else:
            page.cropped((f"    {number:>{digits}} │ {clean(text[:400])}", "dim"))


def _also(page: Page, site: Site, label: str) -> None:
    """A further place, with its source line."""
    _place(page, site, label.ljust(LABEL))
    if site.code:
        page.cropped(" " * (LABEL + 2), (clean(site.code[:1000]), "dim"))


def _path(page: Page, finding: Finding) -> None:
    """The stations between a parameter and the loss, and where the gradient's way back ends."""
    path = finding.path
    start = short_name(finding.parameters[0]) if finding.parameters else "the parameter"
    page.entry("Path", [f"from {start} to the loss"])
    breaks = _breaks(path)
    chosen = _stations(len(path), breaks)
    label_width = min(max(cell_len(clean(path[i].label)) for i in chosen), 30)
    previous = -1
    for index in chosen:
        if index > previous + 1:
            page.entry("", [(f"⋮ {count(index - previous - 1, 'more step')}", "dim")])
        previous = index
        state = "zero" if finding.link == 6 else path[index].state
        words = _BREAKS[state] if index in breaks else ""
        _station(page, path[index], words, label_width)


def _station(page: Page, step: Step, broken: str, label_width: int) -> None:
    """One station on a line, or on two where the place would not fit; ``broken`` says what happens here."""
    style = "bold red" if broken else "green"
    label = shorten_cells(clean(step.label), min(30, page.width - LABEL - 2))
    where = place(shorten(clean(step.file), _FILE), step.line) if step.file else ""
    begin, end = f"{' ' * LABEL}{'✗' if broken else '●'} ", f"  {broken}" if broken else ""
    gap = " " * (label_width + 2 - cell_len(label))
    if len(begin) + label_width + 2 + cell_len(where) + len(end) <= page.width:
        page.line((begin, style), label, gap, (where, "cyan"), (end, style))
        return
    page.line((begin, style), label, (end, style))
    if where:
        page.line(" " * len(begin), (where, "cyan"))


def _breaks(path: Sequence[Step]) -> list[int]:
    """The stations at which the way ends. What is "lost" from there on only follows from it."""
    cuts = [index for index, step in enumerate(path) if step.state in ("cut", "zero")]
    return cuts or [index for index, step in enumerate(path) if step.state == "lost"][:1]


def _stations(count: int, breaks: Sequence[int]) -> list[int]:
    """Which of ``count`` stations to draw: all if they are few, else both ends and what lies around a break."""
    if count <= _STATIONS:
        return list(range(count))
    near = {i + d for i in (*breaks[:2], *breaks[-1:]) for d in (-1, 0, 1)}
    near |= {0, 1, count - 2, count - 1}
    # a gap of one is as long as what it hides
    near |= {i for i in range(count) if i - 1 in near and i + 1 in near}
    return sorted(index for index in near if 0 <= index < count)


def _titles(page: Page, findings: Sequence[Finding]) -> None:
    """Findings beyond the first few, one line each."""
    page.blank()
    page.rule(f"{count(len(findings), 'further finding')}", "bold")
    for finding in findings[:_TITLES]:
        where = "".join(f"{place(shorten(clean(s.file), 60), s.line)}: " for s in finding.causes[:1])
        text = f"{where}{shorten(clean(finding.title), 300)} [{clean(finding.rule)}]"
        page.paragraph((f"{finding.severity} ", _STYLES[finding.severity]), text)
    if len(findings) > _TITLES:
        page.paragraph(f"and {count(len(findings) - _TITLES, 'more')}; --format json lists all of them.")
