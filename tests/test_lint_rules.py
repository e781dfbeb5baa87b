"""Every static rule on its scripts, tests/lint/<slug>/, and on those of the runtime rules, tests/cases/<slug>/.

``bug_*.py``: exactly the lines marked ``# <- cause`` are found by the rule of the folder, as the first place of a finding.
``ok_*.py``: nothing at all is found, by no rule (a note of the folder's own rule aside, marked ``# <- note``).
``fixed_*.py`` beside ``bug_*.py``: what ``--fix`` makes of it; ``unsafe_*.py``: what ``--fix --unsafe-fixes`` makes of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from whygrad.lint.checking import check_source, checks, slugs, to_source
from whygrad.lint.fixing import mended
from whygrad.lint.project import Project
from whygrad.lint.source import Source
from whygrad.rule_pages import module_of, page

HERE = Path(__file__).resolve().parent
CASES = sorted((HERE / "lint").glob("*/*.py"))
RUNTIME = sorted(path.name for path in (HERE / "cases").iterdir() if path.is_dir())
RULES = checks(slugs())


def case(prefix: str) -> list:
    return [pytest.param(p, id=f"{p.parent.name}/{p.stem}") for p in CASES if p.name.startswith(prefix)]


def marked(path: Path, mark: str) -> list[int]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if f"# <- {mark}" in line]


def source(path: Path) -> Source:
    return to_source(path, path.read_bytes())


def found(path: Path, *severities: str) -> list[tuple[str, int]]:
    checked = check_source(path, path.name, source(path), RULES, Project())
    assert not checked.failures
    return sorted((f.rule, f.causes[0].line) for f in checked.findings if f.severity in severities)


@pytest.mark.parametrize("path", case("bug_"))
def test_the_marked_lines_and_no_others_are_found(path: Path) -> None:
    wanted = [(path.parent.name, line) for line in marked(path, "cause")]
    assert wanted, "mark the cause: # <- cause"
    assert found(path, "error", "warning") == wanted
    assert found(path, "note") == [(path.parent.name, line) for line in marked(path, "note")]


@pytest.mark.parametrize("path", case("ok_"))
def test_healthy_code_is_left_alone(path: Path) -> None:
    assert found(path, "error", "warning") == []
    assert found(path, "note") == [(path.parent.name, line) for line in marked(path, "note")]


@pytest.mark.parametrize("path", [*case("fixed_"), *case("unsafe_")])
def test_a_fix_gives_the_mended_file_and_has_nothing_more_to_mend(path: Path) -> None:
    kind, _, name = path.name.partition("_")
    bug = path.with_name(f"bug_{name}")
    bug = bug if bug.exists() else path.with_name(f"ok_{name}")
    after, count = mended(bug, source(bug), RULES, Project(), unsafe=kind == "unsafe")
    assert after.text == path.read_text(encoding="utf-8")
    assert count > 0
    again, count = mended(bug, after, RULES, Project(), unsafe=kind == "unsafe")
    assert (again.text, count) == (after.text, 0)


@pytest.mark.parametrize("slug", slugs())
def test_every_rule_has_a_page_and_is_seen_at_work(slug: str) -> None:
    module = module_of(slug)
    assert module is not None
    assert "## What it means" in page(module)
    scripts = [*(HERE / "lint" / slug).glob("*.py"), *(HERE / "cases" / slug).glob("*.py")]
    assert any(rule == slug for path in scripts for rule, _ in found(path, "error", "warning", "note"))
    assert any(path.name.startswith("ok_") for path in scripts)


def test_no_folder_of_scripts_without_a_rule() -> None:
    assert {path.parent.name for path in CASES} <= set(slugs())


@pytest.mark.parametrize("folder", RUNTIME)
def test_on_the_scripts_of_the_runtime_rules_it_says_what_they_say(folder: str) -> None:
    """Healthy ones are left alone; in the others, the rule of the folder's name finds marked lines only."""
    for path in sorted((HERE / "cases" / folder).glob("*.py")):
        seen = found(path, "error", "warning")
        if path.name.startswith("ok_"):
            assert seen == [], path.name
        elif path.name.startswith("bug_"):
            lines = {line for rule, line in seen if rule == folder}
            assert lines <= set(marked(path, "cause")), path.name
