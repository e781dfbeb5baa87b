"""``whygrad run --keep-running``: the script comes to its end, as it would alone."""

from __future__ import annotations

import json
import re

import pytest
from conftest import Launch

from whygrad.cli import main

SCRIPT = """\
import sys
import torch
from torch import nn
torch.manual_seed(0)
model = nn.ModuleDict({"encoder": nn.Linear(8, 16), "head": nn.Linear(16, 4)})
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(32, 8), torch.arange(32) % 4
for i in range(120):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model["head"](model["encoder"](x).relu()), y)
    (loss * float("nan") if "spoil" in sys.argv and i == 11 else loss).backward()
    optimizer.step()
print(i, loss.item(), torch.get_rng_state().sum().item(), torch._C._len_torch_function_stack())
"""


@pytest.fixture
def real(launch: Launch) -> Launch:
    launch.played = False
    launch.write({"train.py": SCRIPT})
    return launch


def test_the_script_goes_on_to_its_end_and_computes_what_it_would_alone(
    real: Launch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = real.python("train.py")
    kept = real.whygrad("run", "--steps", "5", "--keep-running", "train.py")
    assert kept.stdout == alone.stdout
    assert (alone.returncode, kept.returncode) == (0, 0), kept.stderr
    assert kept.stderr.index("TRAINS: all 4 parameters") < kept.stderr.index("the script goes on")
    assert "10 steps" not in kept.stderr
    assert re.search(r"watched until step 120, without an alarm; the record: \S+\.whygrad", kept.stderr)
    monkeypatch.chdir(real.folder)
    assert main(["report", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["steps"] == 120
    assert shown["parameters"][0]["fqn"] == "encoder.weight"


def test_an_evaluation_after_the_observed_steps_leaves_no_second_record(real: Launch) -> None:
    """A forward pass, but no step: an empty record would hide the one of the run."""
    evaluated = SCRIPT.replace("range(120)", "range(10)") + "model['encoder'](x)\n"
    real.write({"train.py": evaluated})
    kept = real.whygrad("run", "--steps", "10", "--keep-running", "train.py")
    assert kept.returncode == 0, kept.stderr
    assert "watched until" not in kept.stderr
    shown = real.whygrad("report", "--format", "json")
    assert json.loads(shown.stdout)["backwards"] == 10


def test_an_alarm_counts(real: Launch) -> None:
    """The first three steps under the monitor are measured, whatever they cost."""
    spoilt = real.whygrad("run", "--keep-running", "--no-record", "train.py", "spoil")
    assert spoilt.returncode == 1
    assert "is NaN or infinite" in spoilt.stderr
    assert "with 1 alarm" in spoilt.stderr


@pytest.mark.parametrize("other", ["--prove", "--overfit", "--nproc-per-node=2"])
def test_what_cannot_be_joined_with_it_is_told(other: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--keep-running", other, "train.py"]) == 2
    assert "--keep-running" in capsys.readouterr().err
