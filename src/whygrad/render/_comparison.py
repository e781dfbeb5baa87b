"""The comparison of two runs, for a terminal and as JSON."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from whygrad.finding import Finding
from whygrad.notebooks.cells import place
from whygrad.render._page import Page
from whygrad.render._text import clean, count, fold, shorten
from whygrad.render._words import VERDICTS
from whygrad.render.json import strict
from whygrad.saved.comparing import SCHEMA, Comparison

_STYLES = {"new": "bold red", "changed": "bold yellow", "gone": "bold green", "unchanged": "dim"}
_EACH = 40


def comparison_json(comparison: Comparison) -> str:
    """The contract ``whygrad.comparison/1`` (``docs/records.md``)."""
    fields: dict[str, Any] = msgspec.to_builtins(comparison)
    return json.dumps(strict({"schema": SCHEMA, **fields}), indent=1, allow_nan=False) + "\n"


def comparison_text(
    comparison: Comparison, width: int = 80, colour: bool = False, unicode: bool = True
) -> str:
    """The verdicts and what differs first; then every finding on a line or two."""
    page = Page(width, colour, unicode)
    old, new = comparison.old, comparison.new
    page.paragraph(
        (f"{VERDICTS[new.verdict]} now", "bold"), f", {VERDICTS[old.verdict]} before: {_sum(comparison)}."
    )
    names = comparison.parameters
    groups = (
        ("trains now, did not before", names.trains_now, "green"),
        ("does not train now, did before", names.trains_no_more, "red"),
        ("only in the new run", names.added, ""),
        ("only in the old run", names.removed, ""),
    )
    if any(members for _, members, _ in groups):
        page.blank()
        page.rule("parameters", "bold")
    for title, members, style in groups:
        if members:
            page.line((f"{title}: ", style), count(len(members), "parameter"))
            for line in fold(members):
                page.paragraph(line, indent=4)
    _findings(page, comparison)
    page.blank()
    for label, side in (("Old", old), ("New", new)):
        ran = f"{count(side.steps, 'step')}, {count(side.parameters, 'parameter')}"
        page.entry(label, [f"{shorten(clean(side.script), 200)}: {ran}"])
    return page.text()


def _sum(comparison: Comparison) -> str:
    """What differs, in one line."""
    names, found = comparison.parameters, comparison.findings
    parts = [
        (len(names.trains_now), "parameter trains that did not", "parameters train that did not"),
        (len(names.trains_no_more), "parameter trains no more", "parameters train no more"),
        (len(found.new), "finding is new", "findings are new"),
        (len(found.gone), "finding is gone", "findings are gone"),
        (len(found.changed), "finding has changed", "findings have changed"),
    ]
    told = [count(n, one, many) for n, one, many in parts if n]
    if found.unchanged:
        told.append(f"{count(len(found.unchanged), 'finding')} as before")
    return ", ".join(told) or "no difference"


def _findings(page: Page, comparison: Comparison) -> None:
    for kind, style in _STYLES.items():
        findings: tuple[Finding, ...] = getattr(comparison.findings, kind)
        if not findings:
            continue
        page.blank()
        page.rule(f"{kind}: {count(len(findings), 'finding')}", style)
        for finding in findings[:_EACH]:
            where = "".join(f"{place(shorten(clean(s.file), 60), s.line)}: " for s in finding.causes[:1])
            text = f"{where}{shorten(clean(finding.title), 300)} [{clean(finding.rule)}]"
            page.paragraph((f"{finding.severity} ", style), text)
        if len(findings) > _EACH:
            page.paragraph(f"and {count(len(findings) - _EACH, 'more')}; --format json lists all of them.")
