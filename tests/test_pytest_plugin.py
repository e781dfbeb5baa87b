"""The pytest plugin, tried on small test files in sessions of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest_plugins = ["pytester"]

TESTS = """
import pytest, torch
from torch import nn

def train(cut):
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        hidden = model[0](torch.ones(5, 3))
        hidden = hidden.detach() if cut else hidden
        model[1](hidden).pow(2).mean().backward()
        optimizer.step()

def test_healthy():
    train(False)

def test_cut():
    train(True)

def test_nothing():
    pass
"""
MARKED = TESTS.replace("def test_cut", "@pytest.mark.whygrad(steps=3)\ndef test_cut")


def run(pytester: pytest.Pytester, source: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(source)
    plugin = () if _installed() else ("-p", "whygrad_pytest")
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *plugin, *options)


def _installed() -> bool:
    from importlib.metadata import entry_points

    return any(e.name == "whygrad" for e in entry_points(group="pytest11"))


def test_without_option_and_marker_nothing_is_observed(pytester: pytest.Pytester) -> None:
    result = run(pytester, TESTS)
    result.assert_outcomes(passed=3)
    result.stdout.no_fnmatch_line("*whygrad =*")


def test_the_option_fails_those_that_do_not_train(pytester: pytest.Pytester) -> None:
    result = run(pytester, TESTS, "--whygrad")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["*DOES NOT TRAIN*", "*2 observed, 1 with findings*", "*test_cut: detached-path*"]
    )


def test_the_marker_fails_its_test_alone(pytester: pytest.Pytester) -> None:
    result = run(pytester, MARKED)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*1 observed, 1 with findings*"])


def test_a_marked_test_that_does_not_train_at_all_fails(pytester: pytest.Pytester) -> None:
    result = run(pytester, "import pytest\n@pytest.mark.whygrad\ndef test_nothing():\n    import torch\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*INCOMPLETE*"])


def test_rules_can_be_left_out_and_wrong_arguments_are_told(pytester: pytest.Pytester) -> None:
    result = run(pytester, MARKED.replace("steps=3", "ignore=['detached-path', 'output-dropped']"))
    result.assert_outcomes(passed=3)
    result = run(pytester, MARKED.replace("steps=3", "stepz=3"))
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*stepz*"])


def test_a_test_that_fails_by_itself_keeps_its_own_failure(pytester: pytest.Pytester) -> None:
    result = run(
        pytester, TESTS.replace("    train(True)", "    train(True)\n    assert 1 == 2"), "--whygrad"
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*assert 1 == 2*"])
    result.stdout.no_fnmatch_line("*DOES NOT TRAIN*")


def test_the_fixture_gives_the_checks(pytester: pytest.Pytester) -> None:
    source = """
    import torch
    def test_trains(whygrad):
        model = torch.nn.Linear(3, 1)
        whygrad.assert_trains(model, torch.nn.functional.mse_loss, (torch.randn(5, 3), torch.randn(5, 1)))
    """
    run(pytester, source).assert_outcomes(passed=1)
    run(pytester, source, "--whygrad").assert_outcomes(passed=1)


def test_loading_the_plugin_imports_neither_whygrad_nor_torch() -> None:
    code = "import sys, whygrad_pytest; print([m for m in ('torch', 'whygrad') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
