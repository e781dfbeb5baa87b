"""Which findings only tell what another one already explains: those become notes.

A rule says of itself, as module constants, that it tells a symptom (``SYMPTOM = True``), or which other rules' findings
it explains where it speaks of the same parameters (``EXPLAINS = ("dead-activation",)``). Pure functions over findings.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import ModuleType

import msgspec

from whygrad.finding import Finding


def settle(findings: Sequence[Finding], rules: Mapping[str, ModuleType]) -> list[Finding]:
    """The same findings; explained ones as notes."""
    loud = [finding for finding in findings if finding.severity != "note"]
    symptoms = {slug for slug, module in rules.items() if getattr(module, "SYMPTOM", False)}
    causes = [finding for finding in loud if finding.rule not in symptoms]
    settled = []
    for finding in findings:
        explained = bool(causes) and finding.rule in symptoms
        explained = explained or any(_explains(other, finding, _explained(rules, other)) for other in loud)
        settled.append(msgspec.structs.replace(finding, severity="note") if explained else finding)
    return settled


def _explained(rules: Mapping[str, ModuleType], finding: Finding) -> Collection[str]:
    named: Collection[str] = getattr(rules.get(finding.rule), "EXPLAINS", ())
    return named


def _explains(cause: Finding, finding: Finding, rules: Collection[str]) -> bool:
    if finding is cause or finding.rule not in rules:
        return False
    whole = not cause.parameters or not finding.parameters
    return whole or bool(set(cause.parameters) & set(finding.parameters))
