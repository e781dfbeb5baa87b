"""Plain words for a report, shared by the renderers: the headline, and what became of the parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from whygrad.finding import Finding, ParameterVerdict, Report
from whygrad.notebooks.cells import place
from whygrad.render._text import clean, count, is_are, number, shorten

#: What a parameter with this broken link does (for one, for several), and the same in two words for a table.
_LINK_WORDS: dict[int | None, tuple[str, str, str]] = {
    1: ("is not registered", "are not registered", "not registered"),
    2: ("does not require grad", "do not require grad", "not trainable"),
    3: ("is never used", "are never used", "not used"),
    4: ("does not reach the loss", "do not reach the loss", "not in the loss"),
    5: ("gets no gradient", "get no gradient", "no gradient"),
    6: ("gets no usable gradient", "get no usable gradient", "bad gradient"),
    7: ("gets a gradient that no step uses", "get a gradient that no step uses", "gradient unused"),
    8: ("is stepped by no optimizer", "are stepped by no optimizer", "not stepped"),
    9: ("does not stay changed", "do not stay changed", "not changed"),
    None: ("does not train", "do not train", "does not train"),
}
VERDICTS = {
    "trains": "TRAINS",
    "does-not-train": "DOES NOT TRAIN",
    "suspect": "SUSPECT",
    "incomplete": "INCOMPLETE",
}

_RANKS = 16  #: ranks that are listed

#: What to do where nothing could be judged, by how the run ended.
WHAT_TO_DO = {
    "end": "The script was over first: give it arguments with which it trains, or run the one that does.",
    "exit": "The script ended itself first: give it arguments with which it trains.",
    "raised": "Mend the exception above, then run it again.",
    "interrupted": "It was interrupted: let it run until the first optimizer steps are done.",
    "steps": "See below for what could not be seen.",
}


def headline(report: Report) -> str:
    """The verdict in one sentence, without the verdict word (:data:`VERDICTS`)."""
    loud = report.loud()
    if report.verdict == "incomplete":
        return shorten(clean(report.incomplete[0]), 300) if report.incomplete else "Nothing could be judged."
    if report.verdict == "does-not-train" and loud:
        return f"{_what_stops(report, loud)}. {look_first(loud[0])}".strip()
    if report.verdict == "suspect" and loud:
        title = shorten(clean(loud[0].title), 300).rstrip(".")
        more = f", and {count(len(loud) - 1, 'further warning')}" if len(loud) > 1 else ""
        return f"{title}{more}. {look_first(loud[0])}".strip()
    return _what_trains(report)


def look_first(finding: Finding) -> str:
    """Where to look first, as a sentence; empty without a place."""
    if not finding.causes:
        return ""
    site = finding.causes[0]
    return f"Look first at {place(shorten(clean(site.file), 60), site.line)}."


def _what_stops(report: Report, loud: Sequence[Finding]) -> str:
    """How many parameters do not train and what they lack; the worst finding's title if none is stopped."""
    stopping = [f for f in loud if f.severity == "error" and 1 <= f.link <= 9 and f.parameters]
    if not stopping or not 1 <= loud[0].link <= 9:
        return shorten(clean(loud[0].title), 300).rstrip(".")
    names = {name for finding in stopping for name in finding.parameters}
    total = max(len(report.parameters), len(names))
    links = {finding.link for finding in stopping}
    one, many, _ = _LINK_WORDS[links.pop() if len(links) == 1 else None]
    if len(names) == total == 1:
        return f"the only parameter {one}"
    return f"{number(len(names))} of {count(total, 'parameter')} {one if len(names) == 1 else many}"


def _what_trains(report: Report) -> str:
    """What was seen to train, no more; with everything that was not."""
    rows = report.parameters
    groups = by_verdict(rows)
    trains = groups.pop("trains", [])
    span = over(report)
    if not trains:
        return f"No fault to report, but no parameter was seen to train{span}."
    if len(trains) == len(rows):
        subject = f"all {count(len(rows), 'parameter')}" if len(rows) > 1 else "the only parameter"
    else:
        subject = f"{number(len(trains))} of {count(len(rows), 'parameter')}"
    rest = [f"{number(len(group))} {_does(group, word)}" for word, group in groups.items()]
    tail = f"; {', '.join(rest)}" if rest else ""
    unseen = (
        f" {count(len(report.incomplete), 'thing')} could not be seen, see below."
        if report.incomplete
        else ""
    )
    return f"{subject} got gradients and changed{span}{tail}.{unseen}"


def _does(group: Sequence[ParameterVerdict], word: str) -> str:
    """What parameters with one verdict do, as a predicate: ``are frozen``, ``get no gradient``."""
    link = group[0].broken_link
    if group[0].verdict == "frozen" or link not in _LINK_WORDS or link is None:
        return f"{is_are(len(group))} {word}"
    return _LINK_WORDS[link][0 if len(group) == 1 else 1]


def over(report: Report) -> str:
    """How long it was watched: ` over 10 steps`."""
    if report.steps:
        return f" over {count(report.steps, 'step')}"
    return f" over {count(report.backwards, 'backward pass', 'backward passes')}" if report.backwards else ""


def by_verdict(rows: Iterable[ParameterVerdict]) -> dict[str, list[ParameterVerdict]]:
    """The parameters by :func:`verdict_word`: first those that train, then frozen ones, then by broken link."""
    groups: dict[str, list[ParameterVerdict]] = {}
    for row in sorted(
        rows, key=lambda row: (row.verdict != "trains", row.verdict != "frozen", row.broken_link or 0)
    ):
        groups.setdefault(verdict_word(row), []).append(row)
    return groups


def verdict_word(row: ParameterVerdict) -> str:
    """A parameter's verdict in a word or two."""
    if row.broken_link is None or row.verdict == "frozen":
        return row.verdict
    return _LINK_WORDS[row.broken_link if row.broken_link in _LINK_WORDS else None][2]


def on_ranks(finding: Finding, report: Report) -> str:
    """The ranks of a distributed run that show a finding; empty where all of them do, or there is only one process."""
    world = report.environment.get("world_size", 1)
    if not finding.ranks or len(finding.ranks) == world:
        return ""
    shown = ", ".join(map(str, finding.ranks[:_RANKS]))
    more = f" and {len(finding.ranks) - _RANKS} more" if len(finding.ranks) > _RANKS else ""
    return f"{shown}{more}, of {world}"


def watched(report: Report) -> str:
    """What was looked at, and how much of it."""
    words = {"backwards": ("backward pass", "backward passes")}
    parts = []
    for key, n in report.watched.items():
        one, many = words.get(key, (clean(key).removesuffix("s"), ""))
        parts.append(count(n, one, many))
    return ", ".join(parts)
