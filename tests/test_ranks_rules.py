"""Every script below ``tests/ranks``, on two gloo ranks: a rule that compares ranks finds its bugs, on the marked line, and
is quiet on healthy code.

``tests/ranks/<rule>/bug_<what>.py`` has its root lines marked with ``# <- cause``; ``ok_<what>.py`` is a healthy script that
looks as if it had the bug.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from cases_runner import marked_lines
from ranks_runner import Pool

TESTS = Path(__file__).resolve().parent
RULES = TESTS.parent / "src" / "whygrad" / "rules"


def scripts(kind: str) -> list[object]:
    """The scripts of one kind, as parameters of a test named after rule and script."""
    found = sorted((TESTS / "ranks").glob(f"*/{kind}_*.py"))
    return [pytest.param(file, id=f"{file.parent.name}/{file.stem}") for file in found]


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    with Pool(tmp_path_factory.mktemp("ranks")) as ranks:
        yield ranks


@pytest.mark.parametrize("script", scripts("bug"))
def test_a_bug_is_found_on_its_line_by_its_rule(script: Path, pool: Pool) -> None:
    lines = marked_lines(script)
    assert lines, "mark the root line with `# <- cause`"
    case = pool.run(script)
    assert not case.report.incomplete, case.said()
    assert case.loud, case.said()
    first = case.loud[0]
    assert first.rule == script.parent.name, case.said()
    assert lines & {cause.line for cause in first.causes}, case.said()
    assert set(first.ranks) == {0, 1}, case.said()
    others = {f.rule for f in case.loud if f.severity == "error"} - {first.rule}
    assert not others, case.said()


@pytest.mark.parametrize("script", scripts("ok"))
def test_healthy_code_that_looks_like_a_bug_is_left_alone(script: Path, pool: Pool) -> None:
    case = pool.run(script)
    assert not any(case.errors), case.said()
    assert not case.loud, case.said()
    assert not case.report.incomplete, case.said()
    assert all(one.learning.distributed is not None for one in case.trace.ranks)


@pytest.mark.parametrize(
    "script",
    [
        "gradients-not-synchronised/bug_converted_and_back",
        "gradients-not-synchronised/bug_hook_reduces_nothing",
        "gradients-not-synchronised/ok_accumulation",
        "gradients-not-synchronised/ok_average_op",
        "gradients-not-synchronised/ok_static_graph",
        "mode-differs-between-ranks/bug_validation_in_loop",
        "parameters-differ-between-ranks/ok_tensor_parallel_by_hand",
        "sampler-epoch-not-set/ok_told",
    ],
)
def test_every_rank_computes_the_same_bit_for_bit(script: str, pool: Pool) -> None:
    file = TESTS / "ranks" / f"{script}.py"
    observed, alone = pool.computed(file, True), pool.computed(file, False)
    assert observed == alone
    assert all(observed)
    drifts = script.startswith("gradients-not-synchronised/bug")
    assert len(set(observed)) == 2 or not drifts  # the checksum does look at the weights


def test_every_rule_that_compares_ranks_has_bugs_and_healthy_cases() -> None:
    wanted = {
        file.stem.replace("_", "-")
        for file in RULES.glob("[!_]*.py")
        if any(
            isinstance(node, ast.Assign) and ast.unparse(node) == "ACROSS = True"
            for node in ast.parse(file.read_text(encoding="utf-8")).body
        )
    } - {"ranks-wait-for-each-other"}  # it needs the launcher: see test_ranks_launch
    lacking = {
        kind: sorted(wanted - {file.parent.name for file in (TESTS / "ranks").glob(f"*/{kind}_*.py")})
        for kind in ("bug", "ok")
    }
    assert lacking == {"bug": [], "ok": []}
