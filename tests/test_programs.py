"""Real programs, each in a few lines (``tests/programs``): whygrad changes nothing of what they compute, observes them
without a fault of its own, and calls them healthy.

A line ``# whygrad says: ...`` in a program names what whygrad cannot see of it, and has to say.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from twins import Twins, run_twice

PROGRAMS = sorted((Path(__file__).resolve().parent / "programs").glob("*.py"))
MARK = "# whygrad says: "


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda program: program.stem)
def twins(request: pytest.FixtureRequest) -> Twins:
    """One program, run alone and under observation."""
    return run_twice(request.param)


def test_nothing_is_changed(twins: Twins) -> None:
    assert not twins.alone["error"]
    assert not twins.differences(), "\n".join(twins.differences())


def test_nothing_is_found(twins: Twins) -> None:
    assert not twins.report.loud(), twins.said()


def test_all_is_seen(twins: Twins) -> None:
    lines = twins.script.read_text(encoding="utf-8").splitlines()
    expected = [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
    said = twins.report.incomplete
    assert all(any(e in sentence for e in expected) for sentence in said), twins.said()
    assert all(any(e in sentence for sentence in said) for e in expected), twins.said()
    assert twins.trace.backwards or twins.trace.ops, twins.said()
