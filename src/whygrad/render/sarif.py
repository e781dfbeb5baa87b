"""The report as SARIF 2.1.0, for code hosts and editors.

The format is that of https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/; the sections named below are its own.
"""

from __future__ import annotations

import json
from pathlib import Path

from whygrad.excerpt import Sources
from whygrad.finding import LINKS, Finding, Report, Site, Step
from whygrad.notebooks.cells import place
from whygrad.render._repository import spot
from whygrad.render._sarif_parts import PARAGRAPH, ROOT, Json, artifact, location, message
from whygrad.render._text import clean, evidence, shorten
from whygrad.render._words import headline
from whygrad.render.json import strict
from whygrad.rule_pages import module_of, page, section, summary
from whygrad.saved.fingerprint import fingerprint

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_STATES = {"cut": "cut here", "zero": "gradient lost here", "lost": "lost here"}


def render(
    report: Report, notes: bool = False, root: Path | None = None, status: int | None = None, **_: object
) -> str:
    """One run. ``notes``: notes too; suppressed findings are always there, marked as such (3.27.23).

    ``root`` is the folder that the report's file names start from, ``status`` the exit status of the command."""
    shown = [f for f in report.findings if notes or f.severity != "note"]
    slugs = list(dict.fromkeys(finding.rule for finding in shown))
    sources = Sources(root)
    version = report.environment.get("whygrad")
    run = {
        "tool": {
            "driver": {
                "name": "whygrad",
                **({"version": clean(str(version))} if version else {}),
                "rules": [_rule(slug) for slug in slugs],
            }
        },
        "invocations": [_invocation(report, status)],
        # no address: where the folder lies on the machine that ran it says nothing to others (3.14.14)
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the source."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, slugs.index(finding.rule), root, sources) for finding in shown],
        "properties": {"verdict": report.verdict, "script": clean(report.script), "steps": report.steps},
    }
    return (
        json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, allow_nan=False) + "\n"
    )


def _rule(slug: str) -> Json:
    """A rule, with its own documentation page as its help (3.49)."""
    module = module_of(slug)
    if module is None:
        return {"id": clean(slug)}
    text = page(module)
    link = getattr(module, "LINK", None)
    meaning = section(text, "What it means")
    return {
        "id": slug,
        "shortDescription": {"text": summary(module)},
        **({"fullDescription": {"text": meaning}} if meaning else {}),
        "help": {"text": text, "markdown": text},
        "properties": {"tags": ["pytorch", *([f"link {link}: {LINKS[link]}"] if link in LINKS else [])]},
    }


def _invocation(report: Report, status: int | None) -> Json:
    """How the run went (3.20): what could not be seen is a notification."""
    incomplete = [{"level": "warning", "message": message(text)} for text in report.incomplete]
    raised = (
        [{"level": "error", "message": message(f"The script raised {report.raised}")}]
        if report.raised
        else []
    )
    return {
        "executionSuccessful": report.verdict != "incomplete",
        **({} if status is None else {"exitCode": status}),
        "exitCodeDescription": shorten(headline(report), PARAGRAPH),
        "toolExecutionNotifications": [*raised, *incomplete],
    }


def _result(finding: Finding, index: int, root: Path | None, sources: Sources) -> Json:
    text = [finding.title]
    text += [f"In {place(s.file, s.line)}" for s in finding.causes[:1] if spot(s.file, s.line, None).cell]
    text += [line for line in finding.fix.splitlines() if line.strip()]
    proof = finding.proof
    if proof.state != "not-run":
        text.append(f"{proof.state.replace('-', ' ').capitalize()}: {proof.text}")
    properties = {
        "link": finding.link,
        "parameters": [clean(name) for name in finding.parameters],
        "evidence": evidence(finding.evidence),
        "proof": proof.state,
    }
    return {
        "ruleId": clean(finding.rule),
        "ruleIndex": index,
        "level": finding.severity,
        "message": message(*text),
        "locations": [location(site, root) for site in finding.causes[:1]],
        "relatedLocations": [{"id": i, **location(s, root)} for i, s in enumerate(finding.causes[1:], 1)],
        "partialFingerprints": {"whygradFinding/v1": fingerprint(finding)},
        **({"codeFlows": [_flow(finding, root)]} if finding.path else {}),
        **({"suppressions": [{"kind": "inSource", "status": "accepted"}]} if finding.suppressed else {}),
        **({"fixes": fixes} if (fixes := _fixes(finding, root, sources)) else {}),
        "properties": properties,
    }


def _flow(finding: Finding, root: Path | None) -> Json:
    """The way from a parameter to the loss (3.36), with the station where it is lost marked as essential."""
    start = clean(finding.parameters[0]) if finding.parameters else "the parameter"
    return {
        "message": message(f"From {shorten(start, 200)} to the loss"),
        "threadFlows": [{"locations": [_station(i, step, root) for i, step in enumerate(finding.path, 1)]}],
    }


def _station(order: int, step: Step, root: Path | None) -> Json:
    state = f"{step.label}: {_STATES[step.state]}" if step.state in _STATES else step.label
    site = Site(step.file, step.line, step.function)
    seen = {"grad_fn": clean(step.grad_fn), "gradient": step.gradient} if step.grad_fn else {}
    return {
        "location": location(site, root, state),
        **({"module": clean(step.module)} if step.module else {}),
        "executionOrder": order,
        "importance": "essential" if step.state in ("cut", "zero") else "important",
        **({"properties": strict(seen)} if seen else {}),
    }


def _fixes(finding: Finding, root: Path | None, sources: Sources) -> list[Json]:
    """The edits as one fix (3.55); none if a line no longer says what it said when it was recorded."""
    changes: list[Json] = []
    for edit in finding.edits:
        file, line, old, new = (edit.get(key) for key in ("file", "line", "old", "new"))
        if not (
            isinstance(file, str) and isinstance(line, int) and isinstance(old, str) and isinstance(new, str)
        ):
            return []
        found, text = spot(file, line, root), sources.line(file, line)
        if found.cell or not found.path or not old.strip() or text is None or text.strip() != old.strip():
            return []
        replacement: Json = {"deletedRegion": _region(line, text, whole=not new.strip())}
        if new.strip():
            replacement["insertedContent"] = {"text": new.strip()}
        changes.append({"artifactLocation": artifact(found.path), "replacements": [replacement]})
    if not changes:
        return []
    words = finding.fix.strip() or finding.title
    return [{"description": message(words), "artifactChanges": changes}]


def _region(line: int, text: str, whole: bool) -> Json:
    """A line without the blanks on either side of it, or the ``whole`` of it with its end."""
    if whole:
        return {"startLine": line, "startColumn": 1, "endLine": line + 1, "endColumn": 1}
    column = len(text) - len(text.lstrip()) + 1
    return {"startLine": line, "startColumn": column, "endLine": line, "endColumn": len(text.rstrip()) + 1}
