"""What the page's own script draws from: parameters, stations and losses as compact JSON inside the page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from whygrad.finding import LINKS, ParameterVerdict, Report, Site, Station
from whygrad.render._text import clean
from whygrad.render._words import verdict_word

#: What could end the script element, or begin a comment in it.
_UNSAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def data(report: Report) -> Markup:
    """The text of the data element. All strings are cleaned here, so that the script may show them as they are."""
    rules = {finding.rule: number for number, finding in reversed(list(enumerate(report.findings)))}
    values = {
        "links": list(LINKS.values()),
        "findings": [clean(finding.title) for finding in report.findings],
        "params": [_parameter(row, rules) for row in report.parameters],
        "stations": [_station(one) for one in report.stations],
        "losses": series(report.losses),
        "guess": _number(report.guess),
    }
    text = json.dumps(values, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_UNSAFE))  # noqa: S704  # every character that could mean something is escaped


def kind(row: ParameterVerdict) -> str:
    """A parameter's verdict as one of four classes: ``good``, ``frozen``, ``bad``, ``other`` (nothing was judged)."""
    if row.verdict in ("trains", "frozen"):
        return "good" if row.verdict == "trains" else "frozen"
    return "other" if row.broken_link is None else "bad"


def _parameter(row: ParameterVerdict, rules: dict[str, int]) -> dict[str, Any]:
    """One parameter; what is not known is left out."""
    values = {
        "name": clean(row.fqn),
        "shape": list(row.shape),
        "dtype": clean(row.dtype),
        "frozen": not row.requires_grad or None,
        "opt": clean(row.optimizer or "") or None,
        "group": row.group,
        "lr": _number(row.lr),
        "word": clean(verdict_word(row)),
        "kind": kind(row),
        "link": row.broken_link,
        "grads": series(row.grad_norm),
        "found": series(row.grad_at_step),
        "ratios": series(row.update_ratio),
        "moved": _number(row.weight_change),
        "about": [rules[slug] for slug in row.findings if slug in rules],
        "module": clean(row.module) or None,
        "hidden": not row.registered or None,
        "made": _place(row.created),
        "used": [clean(row.used.role), _place(row.used)] if row.used else None,
        "path": row.path,
    }
    return {key: value for key, value in values.items() if value is not None and value != []}


def _station(one: Station) -> list[Any]:
    """label, place, function, state, module, node, gradient, next."""
    place = f"{one.file}:{one.line}" if one.file else ""
    texts = [clean(text) for text in (one.label, place, one.function, one.state, one.module, one.grad_fn)]
    return [*texts, _number(one.gradient), one.next]


def _place(site: Site | None) -> str | None:
    return clean(f"{site.file}:{site.line}") if site else None


def series(values: Iterable[float | None]) -> list[float | str | None]:
    """Numbers of four digits; those that JSON lacks as text."""
    return [_number(value) for value in values]


def _number(value: float | None) -> float | str | None:
    if value is None or isinstance(value, int):
        return value
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return float(f"{value:.4g}")
