"""What became of a model between two runs: which parameters train now, which findings are new and which are gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable

import msgspec

from whygrad.finding import Finding, Report, VerdictName
from whygrad.saved.fingerprint import fingerprint, place_key

SCHEMA = "whygrad.comparison/1"


class Side(msgspec.Struct, frozen=True):
    """One of the two runs."""

    script: str
    verdict: VerdictName
    steps: int
    parameters: int

    @classmethod
    def of(cls, report: Report) -> Side:
        """The side that a report stands for."""
        return cls(report.script, report.verdict, report.steps, len(report.parameters))


class Parameters(msgspec.Struct, frozen=True):
    """Names of parameters: ``trains_now`` and ``trains_no_more`` are in both runs, ``added`` and ``removed`` in one."""

    trains_now: tuple[str, ...] = ()
    trains_no_more: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Findings(msgspec.Struct, frozen=True):
    """``changed``: the same rule at the same line for other parameters, or for the same ones at another line.
    ``worse``: those of them that stop a parameter that they did not stop. All but ``gone`` are as they are now."""

    new: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    changed: tuple[Finding, ...] = ()
    worse: tuple[Finding, ...] = ()
    unchanged: tuple[Finding, ...] = ()


class Comparison(msgspec.Struct, frozen=True):
    """All of it."""

    old: Side
    new: Side
    parameters: Parameters
    findings: Findings

    def fails(self) -> tuple[Finding, ...]:
        """What the new run has that the old one had not: new findings, and changed ones that stop more."""
        return self.findings.new + self.findings.worse


def compare(old: Report, new: Report, notes: bool = False) -> Comparison:
    """Compare two reports. ``notes``: notes and suppressed findings count too."""
    return Comparison(Side.of(old), Side.of(new), _parameters(old, new), _findings(old, new, notes))


def _parameters(old: Report, new: Report) -> Parameters:
    before, now = _trains(old), _trains(new)
    both = [key for key in now if key in before]
    return Parameters(
        trains_now=_names(key for key in both if now[key] and not before[key]),
        trains_no_more=_names(key for key in both if before[key] and not now[key]),
        added=_names(key for key in now if key not in before),
        removed=_names(key for key in before if key not in now),
    )


def _trains(report: Report) -> dict[tuple[str, int], bool]:
    """Whether each parameter trains, by its name, and its number among those of that name (there may be two models)."""
    seen: Counter[str] = Counter()
    found = {}
    for row in report.parameters:
        found[row.fqn, seen[row.fqn]] = row.verdict == "trains"
        seen[row.fqn] += 1
    return found


def _names(keys: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(name for name, _ in keys)


def _findings(old: Report, new: Report, notes: bool) -> Findings:
    """Pair what is the same, then what differs in one thing only. A finding that was suppressed, or demoted to a note,
    between the two runs is gone."""
    before, now = list(old.findings), list(new.findings)
    same = _pairs(before, now, fingerprint)
    alike = _pairs(before, now, lambda finding: (finding.rule, place_key(finding)))
    alike += _pairs(before, now, lambda finding: (finding.rule, frozenset(finding.parameters)))
    shown: dict[str, list[Finding]] = {name: [] for name in Findings.__struct_fields__}
    shown["gone"] += [f for f in before if notes or _loud(f)]
    shown["new"] += [f for f in now if notes or _loud(f)]
    for kind, pairs in (("unchanged", same), ("changed", alike)):
        for was, present in pairs:
            if notes or (_loud(was) and _loud(present)):
                shown[kind].append(present)
                if set(present.parameters) - set(was.parameters):
                    shown["worse"].append(present)
            elif _loud(was) or _loud(present):
                shown["gone" if _loud(was) else "new"].append(was if _loud(was) else present)
    return Findings(**{name: tuple(findings) for name, findings in shown.items()})


def _pairs(
    before: list[Finding], now: list[Finding], key: Callable[[Finding], Hashable]
) -> list[tuple[Finding, Finding]]:
    """Take from both lists, in order, what has the same key."""
    pairs = []
    for present in list(now):
        wanted = key(present)
        was = next((finding for finding in before if key(finding) == wanted), None)
        if was is not None:
            before.remove(was)
            now.remove(present)
            pairs.append((was, present))
    return pairs


def _loud(finding: Finding) -> bool:
    return finding.severity != "note" and not finding.suppressed
