"""One cause, one finding: joins findings of the same place, drops consequences, and puts the rest in order.

Pure functions over findings; the only other thing they know is how many elements each parameter has.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from whygrad.finding import Finding, Severity

_T = TypeVar("_T", bound=Hashable)

#: Severities in the order in which a report shows them.
RANK: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
_LAST_LINK = 9
_COUNT = re.compile(r"\b\d+(?= of \d+ parameters)")


def tidy(findings: Iterable[Finding], sizes: Mapping[str, int]) -> tuple[Finding, ...]:
    """Merge, drop and sort; ``sizes`` gives the number of elements of every parameter."""
    ordered = sorted(merge(findings), key=lambda finding: _importance(finding, sizes))
    return in_order(drop_consequences(ordered), sizes)


def in_order(findings: Iterable[Finding], sizes: Mapping[str, int]) -> tuple[Finding, ...]:
    """Sorted as a report shows them."""
    return tuple(sorted(findings, key=lambda finding: _importance(finding, sizes)))


def merge(findings: Iterable[Finding]) -> list[Finding]:
    """Unite findings of one rule and severity that name the same line first (or no line, and say the same)."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        place = _place(finding) if finding.causes else finding.title
        groups.setdefault((finding.rule, finding.severity, place), []).append(finding)
    return [_unite(group) if len(group) > 1 else group[0] for group in groups.values()]


def drop_consequences(findings: Sequence[Finding]) -> list[Finding]:
    """Leave out what another finding explains already: each parameter is told about once.

    A broken link of the chain explains every later one of the same parameters. At the same link two rules
    that stop the same parameters have seen one fault: the place of the second becomes a further cause of the
    first. Two findings of ONE rule at one link both stay (two cuts on one path are two causes), and so do
    findings outside the chain, which explain nothing but themselves."""
    kept: list[Finding] = []
    for finding in sorted(findings, key=_explains_first):
        index = _explained_by(finding, kept)
        if index is None:
            kept.append(finding)
        elif kept[index].link == finding.link and kept[index].severity == finding.severity:
            causes = _distinct([*kept[index].causes, *finding.causes[:1]])
            kept[index] = msgspec.structs.replace(kept[index], causes=causes)
    return kept


def _explained_by(finding: Finding, kept: Sequence[Finding]) -> int | None:
    """The index of the kept finding that says why these parameters do not train, None if there is none."""
    wanted = set(finding.parameters)
    if not wanted or not 1 <= finding.link <= _LAST_LINK:
        return None  # what is learned may be wrong for a reason of its own, or be the very reason of a broken link
    for index, other in enumerate(kept):
        if not 1 <= other.link <= _LAST_LINK or not wanted <= set(other.parameters):
            continue
        if (other.link, other.rule, other.severity) != (finding.link, finding.rule, finding.severity):
            return index
    return None


def _explains_first(finding: Finding) -> tuple[int, int]:
    """Sorting key: who may explain whom. The sort is stable, so that equals stay in order of importance."""
    return RANK[finding.severity], finding.link if finding.link > 0 else _LAST_LINK + 2


def _importance(finding: Finding, sizes: Mapping[str, int]) -> tuple[object, ...]:
    """Sorting key of the report: errors first, then by how much of the model is stopped.

    A finding without parameters is about the run as a whole."""
    names = set(finding.parameters) if finding.parameters else sizes
    stopped = sum(sizes.get(name, 0) for name in names)
    link = finding.link or _LAST_LINK + 2
    return RANK[finding.severity], -stopped, link, _place(finding), finding.rule, finding.title


def _place(finding: Finding) -> tuple[str, int]:
    """File and line of the first cause; findings without a place sort last."""
    return (finding.causes[0].file, finding.causes[0].line) if finding.causes else ("\U0010ffff", 0)


def _unite(group: Sequence[Finding]) -> Finding:
    """One finding with everything that several say; where they differ the first one speaks."""
    first = group[0]
    parameters = _distinct(name for finding in group for name in finding.parameters)
    evidence: dict[str, object] = {}
    for finding in reversed(group):
        evidence.update(finding.evidence)
    evidence = {key: evidence[key] for finding in group for key in finding.evidence}
    edits: list[dict[str, object]] = []
    for finding in group:
        edits += [edit for edit in finding.edits if edit not in edits]
    return msgspec.structs.replace(
        first,
        # "1 of 12 parameters ..." in a title would be wrong once the parameters are united
        title=_COUNT.sub(str(len(parameters)), first.title, count=1),
        parameters=parameters,
        link=min((finding.link for finding in group if finding.link), default=0),
        causes=_distinct(site for finding in group for site in finding.causes),
        path=next((finding.path for finding in group if finding.path), ()),
        evidence=evidence,
        fix=next((finding.fix for finding in group if finding.fix), ""),
        edits=tuple(edits),
        proof=next((finding.proof for finding in group if finding.proof.state != "not-run"), first.proof),
    )


def _distinct(items: Iterable[_T]) -> tuple[_T, ...]:
    """Each once, in the order of first appearance."""
    return tuple(dict.fromkeys(items))
