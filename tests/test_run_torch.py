"""``whygrad run`` as a whole, on real scripts with the real torch: how they end, and what they leave behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Launch

HEAD = """
import sys, threading, time, torch
import torch.nn.functional as F
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
x, y = torch.randn(8, 3), torch.randint(2, (8,))
def step():
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
"""


def report(launch: Launch, script: str, *args: str, status: int = 0, **env: str) -> dict[str, Any]:
    """The report on a script that begins with HEAD."""
    launch.write({"x.py": HEAD})
    with (launch.folder / "x.py").open("a") as file:
        file.write(script)
    done = launch.whygrad("run", "--format", "json", "--output", "report", *args, "x.py", **env)
    assert done.returncode == status, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    found: dict[str, Any] = json.loads((launch.folder / "report").read_text())
    return found


def test_the_end_of_the_window(torch_launch: Launch) -> None:
    found = report(torch_launch, "while True:\n    step()\n", "--steps", "3")
    assert (found["ended"], found["steps"]) == ("steps", 3)


def test_the_end_of_the_script(torch_launch: Launch) -> None:
    found = report(torch_launch, "step()\nstep()\n")
    assert (found["ended"], found["steps"]) == ("end", 2)


def test_training_in_a_thread_with_workers_that_load(torch_launch: Launch) -> None:
    script = """
def train():
    while True:
        for batch in torch.utils.data.DataLoader(range(1000), num_workers=1):
            step()
if __name__ == '__main__':
    threading.Thread(target=train).start()
"""
    found = report(torch_launch, script, "--steps", "2")
    assert found["ended"] == "steps"
    assert found["steps"] >= 2  # it may be followed a little longer


def test_a_loop_that_catches_everything(torch_launch: Launch) -> None:
    script = "for _ in range(50):\n    try:\n        step()\n    except:\n        pass\n"
    assert report(torch_launch, script, "--steps", "2")["ended"] == "steps"


FAULTS = """
step()
def reentrant():
    torch.nn.MultiheadAttention(4, 2)(x, x, x)
faults = [
    lambda: F.cross_entropy(model(x), y[:2]),
    lambda: model(x[:, :2]),
    lambda: optimizer.step(lambda: 1 / 0),
    lambda: torch.autograd.grad(x, model[0].weight),
    lambda: model.nothing,
    reentrant,
]
chain = None
for fault in faults:
    try:
        fault()
    except Exception as error:
        error.__cause__, chain = chain, error
raise chain
"""


def test_tracebacks_have_none_of_our_frames(torch_launch: Launch) -> None:
    torch_launch.write({"x.py": HEAD + FAULTS})
    plain = torch_launch.python("x.py").stderr
    done = torch_launch.whygrad("run", "x.py")
    assert plain.count("Traceback") == 6
    assert done.stderr.startswith(plain)
    assert done.returncode == 1


def test_a_killed_script_can_be_reported(torch_launch: Launch) -> None:
    torch_launch.write(
        {"x.py": HEAD + "import os\nfor _ in range(3):\n    step()\nos.kill(os.getpid(), 9)\n"}
    )
    assert torch_launch.whygrad("run", "x.py").returncode == -9
    done = torch_launch.whygrad("report", "--format", "json")
    found = json.loads(done.stdout)
    assert found["steps"] >= 1
    assert {p["fqn"] for p in found["parameters"]} == {"0.weight", "0.bias", "2.weight", "2.bias"}


def test_torch_is_not_imported_before_the_script_does(torch_launch: Launch) -> None:
    torch_launch.write({"x.py": "import sys\nprint('torch' in sys.modules, 'numpy' in sys.modules)"})
    assert torch_launch.whygrad("run", "x.py").stdout == "False False\n"
