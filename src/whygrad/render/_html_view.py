"""Findings as the templates of the HTML report draw them: in pieces that are short, with their source and their diff."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.excerpt import Sources
from whygrad.finding import LINKS, Finding, Proof, Report, Site
from whygrad.render._html_paths import Fold, Stop, path_of
from whygrad.render._text import evidence, fold, short_name, shorten

_PLACES = 12
_NAMES = 200


@dataclass(frozen=True)
class Line:
    """A line of source. ``mark``: ``here``, ``-`` and ``+`` of a diff, or nothing."""

    number: int
    text: str
    mark: str = ""


@dataclass(frozen=True)
class Card:
    """One finding."""

    finding: Finding
    number: int
    link: str
    place: Site | None
    excerpt: tuple[Line, ...]
    diff: tuple[tuple[str, tuple[Line, ...]], ...]
    fix: tuple[str, ...]
    also: tuple[Site, ...]
    more_places: int
    seen: tuple[str, ...]
    start: str
    path: tuple[Stop | Fold, ...]
    broken: bool
    names: tuple[str, ...]
    folded: tuple[str, ...]
    more_names: int
    proof: Proof | None


def cards(report: Report, sources: Sources, loud: bool) -> list[Card]:
    """The findings that are told without asking, or the others, in their order. Each is numbered among all of them."""
    shown = report.loud()
    return [
        _card(finding, index, sources)
        for index, finding in enumerate(report.findings)
        if (finding in shown) == loud
    ]


def _card(finding: Finding, index: int, sources: Sources) -> Card:
    place = finding.causes[0] if finding.causes else None
    names = finding.parameters
    return Card(
        finding=finding,
        number=index + 1,
        link=f"link {finding.link}, {LINKS[finding.link]}" if finding.link in LINKS else "",
        place=place,
        excerpt=tuple(_excerpt(place, sources)) if place else (),
        diff=tuple(_diff(finding, sources)),
        fix=tuple(shorten(line, 2000) for line in finding.fix.splitlines() if line.strip()),
        also=finding.causes[1:_PLACES],
        more_places=max(0, len(finding.causes) - _PLACES),
        seen=tuple(evidence(finding.evidence)),
        start=short_name(names[0]) if names else "the parameter",
        path=tuple(path_of(finding)),
        broken=any(one.state != "ok" for one in finding.path),
        names=tuple(short_name(name) for name in names[:_NAMES]),
        folded=tuple(fold(names)),
        more_names=max(0, len(names) - _NAMES),
        proof=finding.proof if finding.proof.state != "not-run" else None,
    )


def _excerpt(site: Site, sources: Sources, context: int = 3) -> list[Line]:
    return [
        Line(number, shorten(text, 2000), "here" if number == site.line else "")
        for number, text in sources.around(site, context)
    ]


def _diff(finding: Finding, sources: Sources) -> list[tuple[str, tuple[Line, ...]]]:
    """The edits of a finding as one small diff a place. Edits of another shape (a later whygrad's) are left out."""
    shown = []
    for edit in finding.edits[:_PLACES]:
        file, line, old, new = (edit.get(key) for key in ("file", "line", "old", "new"))
        if not (
            isinstance(file, str) and isinstance(line, int) and isinstance(old, str) and isinstance(new, str)
        ):
            continue
        lines: list[Line] = []
        for at, text in sources.around(Site(file, line, code=old), 1):
            indent = text[: len(text) - len(text.lstrip())]
            if at == line:
                lines.append(Line(at, text, "-"))
                lines += [Line(at, indent + part, "+") for part in new.splitlines()]
            else:
                lines.append(Line(at, text))
        shown.append((f"{file}:{line}", tuple(lines)))
    return shown
