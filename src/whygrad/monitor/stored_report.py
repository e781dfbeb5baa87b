"""From the store of a monitored run to a report, the same value that everything else renders. Nothing here imports torch.

Alarms become findings, with the places of a diagnosis where one was attached. What was seen of parameters comes from the first
and the last rows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from whygrad.finding import Finding, ParameterVerdict, Report, VerdictName
from whygrad.monitor.process import gone
from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import UNSEEN, Alarm, Row, Track
from whygrad.monitor.store import Meta, Point

_SHOWN = 32  #: values of one parameter in a report, evenly spaced over what was kept
_LOSSES = 200
_ENDED = {"running": "end", "raised": "raised", "interrupted": "interrupted"}


def report_of(path: Path, select: Collection[str] = (), ignore: Collection[str] = ()) -> Report:
    """The report of a store, with only the findings of the rules that are asked for. Raises TraceError."""
    reader = Reader(path)
    try:
        return _report(reader, select, ignore)
    finally:
        reader.close()


def _report(reader: Reader, select: Collection[str], ignore: Collection[str]) -> Report:
    meta, tracks = reader.meta(), reader.tracks()
    attached = [msgspec.json.decode(text, type=Report) for _, text in reader.reports("diagnosis")]
    findings = [f for report in attached for f in report.findings if f.severity != "note"]
    findings = [*findings, *map(finding, reader.alarms())]
    findings = [f for f in findings if (not select or f.rule in select) and f.rule not in ignore]
    findings.sort(key=lambda f: f.severity != "error")
    # a parameter that has changed its optimizer is told as it was in the last one
    known = {
        row.fqn: row
        for track in tracks.values()
        for row in _verdicts(track, reader.rows(track.number), findings)
    }
    rows = list(known.values())
    rows += [_frozen(name, shape) for name, shape in meta.frozen.items() if name not in known]
    points = reader.points()
    losses = [p.loss for p in points if p.loss is not None]
    return Report(
        verdict=_verdict(findings, rows),
        script=meta.script,
        steps=meta.step,
        backwards=0,
        seconds=meta.seconds,
        environment=dict(meta.environment),
        findings=tuple(findings),
        parameters=tuple(rows),
        incomplete=_incomplete(meta, rows),
        ended=_ENDED.get(meta.ended, meta.ended),
        watched={"parameters": len(rows), "steps": len(points), "optimizers": len(tracks)}
        | _left_out(points),
        losses=tuple(_spaced(losses, _LOSSES)),
        raised=meta.error,
        guess=meta.guess,
    )


def _left_out(points: Sequence[Point]) -> dict[str, int]:
    """Steps that scalers have left out, if there were any."""
    skipped = max([p.skipped for p in points], default=0)
    return {"skipped steps": skipped} if skipped else {}


def finding(alarm: Alarm) -> Finding:
    """An alarm as a finding of a report."""
    return Finding(
        rule=alarm.rule,
        severity=alarm.severity,
        title=f"step {alarm.step}: {alarm.title}",
        parameters=alarm.parameters,
        link=alarm.link,
        evidence={"step": alarm.step, **alarm.evidence},
        fix=alarm.fix,
    )


def _verdicts(track: Track, rows: Sequence[Row], findings: Iterable[Finding]) -> list[ParameterVerdict]:
    seen = [row for row in rows if any(n != UNSEEN for n in row.norms)]
    shown = _spaced(seen, _SHOWN)
    rules: dict[str, list[str]] = {}
    for one in findings:
        for name in one.parameters:
            rules.setdefault(name, []).append(one.rule)
    found = []
    for index, name in enumerate(track.names):
        norms = [row.norms[index] for row in shown]
        ratios = [r for row in seen if index in row.details and (r := row.details[index].ratio) is not None]
        verdict, link = _judged([row.norms[index] for row in seen], ratios)
        group = track.groups[index]
        rate = next((row.lrs[group] for row in reversed(rows) if group < len(row.lrs)), math.nan)
        found.append(
            ParameterVerdict(
                fqn=name,
                shape=track.shapes[index],
                dtype=track.dtypes[index],
                requires_grad=not all(n == UNSEEN for n in norms),
                optimizer=track.optimizer,
                group=group,
                lr=rate if rate == rate else None,
                verdict=verdict,
                broken_link=link,
                grad_norm=tuple(None if n < 0 else n for n in norms),
                weight_change=None,
                findings=tuple(dict.fromkeys(rules.get(name, ()))),
                grad_at_step=tuple(None if n < 0 else n for n in norms),
                update_ratio=tuple(_spaced(ratios, _SHOWN)),
            )
        )
    return found


def _judged(norms: Sequence[float], ratios: Sequence[float]) -> tuple[str, int | None]:
    """The verdict on a parameter, as far as norms and sampled updates tell."""
    known = [n for n in norms if n != UNSEEN]
    if not known:
        return ("frozen" if norms else "not judged"), None
    late = known[len(known) // 2 :]
    if all(n < 0 for n in known):
        return "reaches the loss by autograd", 5
    if not any(n > 0 and math.isfinite(n) for n in late) or not math.isfinite(known[-1]):
        return "gradient non-zero and finite", 6
    if ratios and not any(r > 0 for r in ratios):
        return "the update changes the value and stays", 9
    return "trains", None


def _frozen(name: str, shape: tuple[int, ...]) -> ParameterVerdict:
    return ParameterVerdict(name, shape, "", False, None, None, None, "frozen", None, (), None)


def _verdict(findings: Collection[Finding], rows: Collection[ParameterVerdict]) -> VerdictName:
    severities = {finding.severity for finding in findings}
    if "error" in severities:
        return "does-not-train"
    if "warning" in severities:
        return "suspect"
    return "trains" if any(row.verdict == "trains" for row in rows) else "incomplete"


def _incomplete(meta: Meta, rows: Collection[ParameterVerdict]) -> tuple[str, ...]:
    found = list(meta.problems)
    if not any(row.verdict == "trains" for row in rows):
        found.insert(0, "No parameter was seen to train in the measured steps.")
    if meta.ended == "running":
        what = "was killed, or ended without a word" if gone(meta.process) else "has not ended, or was killed"
        found.append(f"The run {what}: this is how it stood at step {meta.step}.")
    return tuple(found)


def _spaced(values: Sequence, most: int) -> list:  # type: ignore[type-arg]
    """At most so many of some values, evenly spaced, with the first and the last."""
    if len(values) <= most:
        return list(values)
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]
