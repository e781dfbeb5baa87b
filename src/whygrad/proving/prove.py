"""Proof by intervention: run the script again with one cause taken away, and see whether the parameters train.

The proof runs happen one after the other in fresh processes, with the same arguments and seeds, bounded in time, and
in a sandbox that lets them write none of the user's files (see ``sandbox``). No torch here: the records of the runs
are compared.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator

import msgspec

from whygrad.finding import Finding, Proof, Report, VerdictName
from whygrad.graph import Graph
from whygrad.merging import RANK
from whygrad.proving.intervention import Intervention
from whygrad.proving.learning_proof import learns_better, losses
from whygrad.suppression import verdict_of
from whygrad.trace import Trace

#: Runs the script with an intervention. Returns its trace, or a sentence that says why there is none.
Rerun = Callable[[Intervention], "Trace | str"]
_INTERVENTIONS = "whygrad.interventions"


def prove(report: Report, trace: Trace, rerun: Rerun, say: Callable[[str], None]) -> Report:
    """The report with a proof for each loud finding; a cause that was refuted becomes a note.

    ``say`` is told what each run is about, before it begins."""
    graph = Graph(trace)
    findings = []
    for finding in report.findings:
        if finding.severity == "note" or finding.suppressed:
            findings.append(finding)
            continue
        own = _shown_by(trace, finding)
        proof = _prove(graph if own is trace else Graph(own), finding, rerun, say)
        severity = "note" if proof.state == "refuted" else finding.severity
        findings.append(msgspec.structs.replace(finding, proof=proof, severity=severity))
    findings.sort(key=lambda f: RANK[f.severity])
    return msgspec.structs.replace(report, findings=tuple(findings), verdict=_verdict(report, findings))


def interventions(graph: Graph, finding: Finding) -> Iterator[Intervention]:
    """The ways to take a finding's cause away, the most telling first; none if its rule knows of none."""
    module = finding.rule.replace("-", "_")
    package = importlib.import_module(_INTERVENTIONS)
    if module in {info.name for info in pkgutil.iter_modules(package.__path__)}:
        yield from importlib.import_module(f"{_INTERVENTIONS}.{module}").intervene(graph, finding)


def _shown_by(trace: Trace, finding: Finding) -> Trace:
    """Of several ranks the first that shows the finding; else the trace itself."""
    return next((one for one in trace.ranks if one.rank in finding.ranks), trace)


def _prove(graph: Graph, finding: Finding, rerun: Rerun, say: Callable[[str], None]) -> Proof:
    tried: list[str] = []
    failed = ""
    for change in interventions(graph, finding):
        say(f"proof of {finding.rule}: running the script again with {change.text}")
        outcome = rerun(change)
        if isinstance(outcome, str):
            failed = outcome
            continue
        outcome = _shown_by(outcome, finding)
        after = Graph(outcome)
        if change.shows == "trains":
            text, proved = compare(graph, after, finding, change)
        else:
            text, proved = learns_better(graph, after, finding, change)
        if proved:
            return Proof("proved", text)
        if not applied(outcome):
            failed = f"Nothing was there to be changed at run time: {change.text}."
            continue
        if outcome.raised is not None and trace_raised(graph) != outcome.raised.message:
            # it failed for a reason of its own before anything could be seen: that refutes nothing
            failed = f"With {change.text}, the script raises {outcome.raised.type}: {outcome.raised.message}"
            continue
        if change.shows != "trains":
            failed = text  # a few steps in which the loss does not tell refute nothing
            continue
        if farther(graph, after, finding):
            failed = f"{text} The gradient now comes farther and is lost again: another cause stands behind this one."
            continue
        tried.append(text)
    if tried:
        return Proof("refuted", " ".join(tried))
    return Proof("not-possible", failed or "This cause cannot be taken away at run time.")


def farther(before: Graph, after: Graph, finding: Finding) -> bool:
    """Whether the affected parameters now fail at a later link of the chain than before."""

    def links(graph: Graph) -> list[int]:
        found = [graph.broken[i] for name in finding.parameters for i in _entries(graph, name)]
        return [link for link in found if link is not None and link > 0]

    old, new = links(before), links(after)
    return bool(old) and bool(new) and min(new) > min(old)


def applied(outcome: Trace) -> bool:
    """Whether the second run really differed from the first."""
    return any(e.kind == "intervened" and e.data.get("times") for e in outcome.events)


def trace_raised(graph: Graph) -> str:
    """The message of the exception that ended the first run, empty if none did."""
    return graph.trace.raised.message if graph.trace.raised is not None else ""


def compare(before: Graph, after: Graph, finding: Finding, change: Intervention) -> tuple[str, bool]:
    """What the second run says, in a sentence with its numbers, and whether it proves the cause."""
    names = finding.parameters
    trains = [name for name in names if _trains(after, name)]
    proved = bool(names) and 2 * len(trains) >= len(names)
    if names:
        norm = max((n for name in trains or names for n in _norms(after, name)), default=None)
        who = names[0] if len(names) == 1 else f"{len(trains) or len(names)} of {len(names)} parameters"
        gets = "no gradient" if norm is None else f"a gradient of norm up to {norm:.3g}"
        result = f"{who} {'changed' if trains else 'did not change'} (with {gets})"
    else:
        result = "the run was compared as a whole"
    raised = after.trace.raised
    ended = f" After that the changed run raised {raised.type}." if raised is not None else ""
    return f"With {change.text}, {result}{_losses(before, after)}.{ended}", proved


def _losses(before: Graph, after: Graph) -> str:
    old, new = losses(before), losses(after)
    if not old or not new:
        return ""
    at = min(len(old), len(new))
    return f"; the loss at backward pass {at} is {new[at - 1]:.4g} instead of {old[at - 1]:.4g}"


def _entries(graph: Graph, name: str) -> list[int]:
    return [i for i, p in enumerate(graph.trace.params) if name in (p.fqn, *p.aliases)]


def _norms(graph: Graph, name: str) -> list[float]:
    return [grad.norm for i in _entries(graph, name) for _, grad in graph.gradients.good(i)]


def _trains(graph: Graph, name: str) -> bool:
    """Whether some parameter of that name got usable gradients in the second run and was changed by what it did."""
    return any(
        (bool(graph.gradients.good(i)) or graph.updates.trained(i))
        and (_moved(graph, i) or graph.trace.params[i].changed)
        for i in _entries(graph, name)
    ) or any(
        graph.trace.params[i].changed and graph.trace.params[i].role == "buffer"
        for i in _entries(graph, name)
    )


def _moved(graph: Graph, index: int) -> bool:
    rows = [row for _, row in graph.updates.rows.get(index, ())]
    return any(graph.updates.moved(row) for row in rows[len(rows) // 2 :])


def _verdict(report: Report, findings: list[Finding]) -> VerdictName:
    """Without a cause left, a run in which parameters did not train is no healthy one: it is not understood."""
    verdict = verdict_of(report.verdict, findings)
    unexplained = verdict != report.verdict and any(p.broken_link for p in report.parameters)
    return "incomplete" if verdict == "trains" and unexplained else verdict
