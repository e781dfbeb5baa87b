"""``whygrad.record``: any block of code under observation, nested and with errors; and the public names as a whole."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

import whygrad
import whygrad.api


def train(cut: bool = False, steps: int = 3) -> nn.Module:
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        hidden = model[0](torch.ones(5, 3))
        model[1](hidden.detach() if cut else hidden).pow(2).mean().backward()
        optimizer.step()
    return model


def rules(recording: whygrad.Recording) -> list[str]:
    return [f.rule for f in recording.report().loud()]


def test_a_block_is_observed_and_reported() -> None:
    with whygrad.record() as recording:
        train(cut=True)
    assert rules(recording) == ["detached-path"]
    assert recording.report().steps == 3
    assert recording.report(ignore=["detached-path"]).loud() == ()


def test_nothing_is_left_behind() -> None:
    before = vars(torch.optim.Optimizer)["zero_grad"]
    with whygrad.record():
        train()
    assert vars(torch.optim.Optimizer)["zero_grad"] is before
    assert not torch.overrides._get_current_function_mode_stack()


def test_an_error_passes_through_and_what_was_seen_stays() -> None:
    recording = whygrad.record()

    def train_and_raise() -> None:
        with recording:
            train(cut=True)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train_and_raise()
    assert rules(recording) == ["detached-path"]
    assert "ZeroDivisionError" in recording.report().raised


def test_within_another_recording_the_inner_block_is_the_inner_ones() -> None:
    with whygrad.record() as outer:
        train()
        with whygrad.record() as inner:
            train(cut=True)
        train()
    assert rules(inner) == ["detached-path"]
    assert rules(outer) == []
    assert outer.report().backwards == 6


def test_only_the_first_steps_are_observed_where_that_is_asked_for() -> None:
    with whygrad.record(steps=3) as recording:
        model = train(steps=50)
    assert len([s for s in recording.trace.steps if s.params]) == 3
    assert model is not None


def test_a_report_before_the_end_is_refused() -> None:
    with whygrad.record() as recording, pytest.raises(whygrad.UsageError, match="leave"):
        recording.report()


def test_a_report_prints_itself() -> None:
    with whygrad.record() as recording:
        train()
    assert str(recording.report()).startswith("TRAINS")


def test_importing_whygrad_imports_nothing_else() -> None:
    code = (
        "import sys, whygrad; print([m for m in ('torch', 'rich', 'msgspec', 'click') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    for name in whygrad.__all__:
        assert getattr(whygrad, name) is not None


MODULES = [f"whygrad.api.{info.name}" for info in pkgutil.iter_modules(whygrad.api.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_docstrings_are_true(name: str) -> None:
    torch.manual_seed(0)
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert not failed
    public = {"checking", "editing", "inspection", "path", "recording"}
    assert tried or name.rpartition(".")[2] not in public


def test_the_first_use_leaves_the_random_state_and_compiled_code_is_seen() -> None:
    code = """
import random
import torch, whygrad
before = random.getstate()
with whygrad.record() as recording:
    pass
str(recording.report())
whygrad.check, whygrad.inspect, whygrad.explain
print(random.getstate() == before)
layer = torch.compile(torch.nn.Linear(3, 1), backend="eager")
report = whygrad.check(layer, torch.nn.functional.mse_loss, (torch.randn(8, 3), torch.randn(8, 1)))
print(report.verdict, report.incomplete)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["True", "trains ()"]
