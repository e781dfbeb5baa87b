"""Every format on one shared report, compared with what a person has read before; and on text that means harm.

``fixtures/golden/report.json`` has all that a report can hold. After a change that is meant, write the expected texts
anew with ``WHYGRAD_UPDATE_EXPECTED=1``, and read the difference.
"""

from __future__ import annotations

import functools
import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from whygrad.finding import Report
from whygrad.render import formats, renderer
from whygrad.saved.reports import read

FIXTURES = Path(__file__).parent / "fixtures"
GOLDEN = FIXTURES / "golden"
SOURCES = FIXTURES / "report"

#: What a name in a program may be. A renderer makes nothing of it but text.
HOSTILE = {
    "closes a script": "</script><script>alert(1)</script><!--",
    "quotes": "\"'`${x}{{x}}{0}%25\\",
    "markup": "<img src=x onerror=alert(1)>[red]bold[/red] [here](javascript:alert(1)) **b** | x",
    "new lines": "one\n::error::injected\r\n##[error]injected\u2028x\u2029y\x85z\x0b\x0c",
    "controls": "\x00\x1b[2J\x1b]0;owned\x07\x9b31m\x7f",
    "bidi": "\u202egnp.\u202c\u2066x\u2069\u200f\u061c\ufeff",
    "surrogate": "\ud800\udcff",
    "long": "x" * 10_000,
    "long and wide": "\u4e00\U0001f9e8" * 5_000,
    "dots": "." * 10_000,
}
PLACE_TEXTS = ("file", "function", "code", "role", "label", "module", "grad_fn")


@functools.cache
def shared() -> Report:
    return read(GOLDEN / "report.json").report


def draw(form: str, report: Report, **options: Any) -> str:
    return renderer(form)(report, **{"notes": True, "root": SOURCES, "status": 1, **options})


def without_assets(text: str) -> str:
    """A page without our own style sheet and script, which stand in files of their own, and without their hashes."""
    text = re.sub(r"<(style|script)>.*?</\1>", r"<\1>…</\1>", text, flags=re.DOTALL)
    return re.sub(r"sha256-[\w+/=]+", "sha256-…", text)


@pytest.mark.parametrize("form", formats())
def test_the_shared_report_is_drawn_as_expected(form: str) -> None:
    text = draw(form, shared())
    text = without_assets(text) if form == "html" else text
    expected = GOLDEN / f"{form}.txt"
    if os.environ.get("WHYGRAD_UPDATE_EXPECTED"):
        expected.write_text(text, encoding="utf-8", newline="")
    assert expected.is_file(), f"a new format: WHYGRAD_UPDATE_EXPECTED=1 writes {expected.name}, then read it"
    assert text == expected.read_bytes().decode(), "if that is meant: WHYGRAD_UPDATE_EXPECTED=1"


def test_the_shared_report_has_all_that_a_report_can_hold() -> None:
    found = shared().findings
    assert {f.severity for f in found} == {"error", "warning", "note"}
    assert {f.proof.state for f in found} == {"proved", "refuted", "not-possible", "not-run"}
    assert {step.state for f in found for step in f.path} >= {"ok", "cut", "lost"}
    assert any(f.suppressed for f in found)
    assert any(f.edits for f in found)
    assert any(step.gradient and step.grad_fn and step.module for f in found for step in f.path)
    assert any(row.path is not None and row.created and row.used for row in shared().parameters)
    assert shared().stations
    assert not {path.stem for path in GOLDEN.glob("*.txt")} - set(formats()), "texts of formats that are gone"


def with_text(text: str) -> Report:
    """The shared report with ``text`` in every place that the user's program can fill."""
    fields: dict[str, Any] = msgspec.to_builtins(shared())
    for finding in fields["findings"]:
        finding.update(
            title=text, fix=text, parameters=[text, f"{text}.weight"], evidence={text: text, "list": [text]}
        )
        finding["proof"]["text"] = text
        for edit in finding["edits"]:
            edit.update(file=text, old=text, new=text)
    for row in fields["parameters"]:
        row.update(fqn=text, dtype=text, optimizer=text, module=text)
    rows = [place for row in fields["parameters"] for place in (row["created"], row["used"]) if place]
    places = [place for finding in fields["findings"] for place in (*finding["causes"], *finding["path"])]
    for place in (*rows, *places, *fields["stations"]):
        place.update({key: text for key in PLACE_TEXTS if key in place})
    fields.update(script=text, raised=text, incomplete=[text], environment={"torch": text, "python": text})
    return msgspec.convert(fields, Report)


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("form", formats())
def test_text_of_the_program_stays_text(form: str, what: str) -> None:
    text = draw(form, with_text(HOSTILE[what]))
    steers = sorted({c for c in text if c != "\n" and not c.isprintable()})
    assert not steers
    text.encode("utf-8")
    if form in ("json", "sarif"):
        json.loads(text)
    if form == "html":
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    if form == "github":
        first, *commands = text.splitlines()
        assert len(commands) == len(shared().findings), (
            "one line a finding, whatever the program's names hold"
        )
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in commands)
        assert "##[" not in first
        assert max(map(len, commands)) < 60_000
    if form == "terminal":
        assert len(text) < 80_000
