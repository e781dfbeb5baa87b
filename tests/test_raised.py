"""Scripts that raise: what stays as it is without whygrad, what the explanation adds, and what it costs if nothing raises.

That each error is explained on its lines is tested with ``tests/cases``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

from cases_runner import run_case

from whygrad.observe import backward, raising

if TYPE_CHECKING:
    from conftest import Launch

CASES = Path(__file__).resolve().parent / "cases"

ONCE = "saved-tensor-modified/bug_relu_output_added_to.py"


def test_the_explanation_comes_after_the_scripts_own_traceback(torch_launch: Launch) -> None:
    torch_launch.write({"x.py": (CASES / ONCE).read_text(encoding="utf-8")})
    alone = torch_launch.python("x.py")
    done = torch_launch.whygrad("run", "x.py")
    assert (alone.returncode, done.returncode) == (1, 1)
    assert done.stdout == alone.stdout
    assert done.stderr.startswith(alone.stderr)
    explained = done.stderr.removeprefix(alone.stderr)
    assert "saved-tensor-modified" in explained
    assert "x.py:17" in explained


def test_the_record_of_a_script_that_raised_can_be_reported_again(torch_launch: Launch) -> None:
    torch_launch.write({"x.py": "import torch\ntorch.nn.Linear(3, 2)(torch.randn(4, 5))\n"})
    assert torch_launch.whygrad("run", "x.py").returncode == 1
    report = json.loads(torch_launch.whygrad("report", "--format", "json").stdout)
    assert report["raised"].startswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied")
    assert [f["rule"] for f in report["findings"]] == ["shape-mismatch"]
    assert report["findings"][0]["evidence"] == {"input": [4, 5], "weight": [2, 3], "bias": [2]}


@pytest.mark.parametrize(
    "text",
    [
        "raise ValueError('the shape of the dtype is out of bounds on another device')",
        "{}['size']",
        "import json; json.loads('shape')",
        "raise SystemExit('expected scalar type')",
    ],
)
def test_what_did_not_come_out_of_torch_is_not_explained(tmp_path: Path, text: str) -> None:
    script = tmp_path / "x.py"
    script.write_text(f"import torch\nx = torch.nn.Linear(3, 2)(torch.randn(4, 3))\n{text}\n")
    case = run_case(script)
    assert case.error is not None
    assert not case.loud, case.said()


def test_an_error_that_was_caught_is_not_explained(tmp_path: Path) -> None:
    script = tmp_path / "x.py"
    script.write_text(
        "import torch\nlayer = torch.nn.Linear(3, 2)\n"
        "try:\n    layer(torch.randn(4, 5))\nexcept RuntimeError:\n    pass\n"
        "raise RuntimeError('mat1 of another size')\n"
    )
    assert not run_case(script).loud


@pytest.mark.parametrize(
    "name", ["graph-freed/ok_truncated_and_retained.py", "anomaly-nan/ok_anomaly_mode_without_nan.py"]
)
def test_nothing_is_gathered_unless_something_raises(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object, **kwargs: object) -> None:
        raise AssertionError("gathered although nothing was raised")

    for owner, what in (
        (raising.Raising, "call"),
        (raising.Raising, "backward"),
        (backward, "spoilt"),
        (backward, "census"),
        (backward, "ranges"),
    ):
        monkeypatch.setattr(owner, what, never)
    case = run_case(CASES / name)
    assert case.error is None
    assert not case.report.incomplete, case.said()


def test_what_is_saved_is_not_unpacked_where_hooks_would_run(tmp_path: Path) -> None:
    """A checkpoint runs its part of the forward pass again if it is asked for what it has saved."""
    script = tmp_path / "x.py"
    script.write_text(
        "import torch\nfrom torch.utils.checkpoint import checkpoint\n"
        "layer = torch.nn.Linear(3, 3)\nruns = []\n"
        "def part(x):\n    runs.append(1)\n    return torch.log(torch.relu(layer(x)) * 0)\n"
        "optimizer = torch.optim.SGD(layer.parameters(), 0.1)\n"
        "for _ in range(3):\n"
        "    loss = checkpoint(part, torch.randn(4, 3), use_reentrant=False).sum()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
        "print(len(runs))\n"
    )
    assert run_case(script).printed == "6\n"
