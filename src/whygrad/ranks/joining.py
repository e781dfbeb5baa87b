"""From what each of several ranks shows to one report: the same thing on two ranks is one finding.

Pure functions over findings and over the rows of the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from whygrad.finding import Finding, ParameterVerdict
from whygrad.graph import NOT_JUDGED
from whygrad.merging import RANK


def join_findings(found: Mapping[int, Sequence[Finding]]) -> list[Finding]:
    """The findings of all ranks (by the rank's number), equal ones as one that says on which ranks it was seen.

    Equal are two of the same rule, at the same first place (without one: of the same words), about the same parameters.
    Where their numbers differ the lowest rank speaks; the worst severity holds."""
    groups: dict[tuple[object, ...], list[tuple[int, Finding]]] = {}
    for rank in sorted(found):
        for finding in found[rank]:
            first = finding.causes[0] if finding.causes else None
            place = (first.file, first.line) if first is not None else finding.title
            groups.setdefault((finding.rule, place, frozenset(finding.parameters)), []).append(
                (rank, finding)
            )
    return [_one(group) for group in groups.values()]


def _one(group: Sequence[tuple[int, Finding]]) -> Finding:
    loudest = min(group, key=lambda one: RANK[one[1].severity])[1]
    return msgspec.structs.replace(loudest, ranks=tuple(dict.fromkeys(rank for rank, _ in group)))


def join_rows(tables: Iterable[Sequence[ParameterVerdict]]) -> tuple[ParameterVerdict, ...]:
    """One row for each parameter: that of the first rank on which it does not train, or else of the first that can tell
    (ranks may hold different parameters: the stages of a pipeline). Parameters of one name are told by their order."""
    rows: dict[tuple[str, int], ParameterVerdict] = {}
    for table in tables:
        seen: Counter[str] = Counter()
        for row in table:
            key = (row.fqn, seen[row.fqn])
            seen[row.fqn] += 1
            known = rows.setdefault(key, row)
            untold = known.verdict == NOT_JUDGED and row.verdict != NOT_JUDGED
            if untold or (known.broken_link is None and row.broken_link is not None):
                rows[key] = row
    return tuple(rows.values())
