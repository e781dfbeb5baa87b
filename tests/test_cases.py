"""Every script below ``tests/cases``: a rule finds its bugs, on the marked line, and is quiet on healthy code.

``tests/cases/<rule>/bug_<what>.py`` has its root lines marked with ``# <- cause``; ``ok_<what>.py`` is a healthy
script that looks as if it had the bug.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from cases_runner import marked_lines, run_case

CASES = Path(__file__).resolve().parent / "cases"


def scripts(kind: str) -> list[object]:
    """The scripts of one kind, as parameters of a test named after rule and script."""
    found = sorted(CASES.glob(f"*/{kind}_*.py"))
    return [pytest.param(file, id=f"{file.parent.name}/{file.stem}") for file in found]


@pytest.mark.parametrize("script", scripts("bug"))
def test_a_bug_is_found_on_its_line_by_its_rule(script: Path) -> None:
    lines = marked_lines(script)
    assert lines, "mark the root line with `# <- cause`"
    case = run_case(script)
    assert not case.report.incomplete, case.said()
    assert case.loud, case.said()
    first = case.loud[0]
    assert first.rule == script.parent.name, case.said()
    assert lines & {cause.line for cause in first.causes}, case.said()
    others = {f.rule for f in case.loud if f.severity == "error"} - {first.rule}
    assert not others, case.said()


@pytest.mark.parametrize("script", scripts("ok"))
def test_healthy_code_that_looks_like_a_bug_is_left_alone(script: Path) -> None:
    case = run_case(script)
    assert case.error is None, case.said()
    assert not case.loud, case.said()
    assert not case.graph.trace.problems, case.said()


def test_every_rule_has_a_bug_and_a_healthy_case() -> None:
    rules = (CASES.parent.parent / "src" / "whygrad" / "rules").glob("[!_]*.py")
    # those that compare ranks have theirs below tests/ranks
    alone = [file for file in rules if "\nACROSS = True\n" not in file.read_text(encoding="utf-8")]
    wanted = {file.stem.replace("_", "-") for file in alone}
    lacking = {
        kind: sorted(wanted - {file.parent.name for file in CASES.glob(f"*/{kind}_*.py")})
        for kind in ("bug", "ok")
    }
    assert lacking == {"bug": [], "ok": []}
