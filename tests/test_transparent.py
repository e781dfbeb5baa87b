"""With and without whygrad a script computes the same, bit for bit, and afterwards nothing of whygrad is left.

What real programs compute is compared in ``test_programs``; here are the buggy scripts of ``tests/cases``, and what a
comparison of results does not show.
"""

from __future__ import annotations

import functools
import gc
import sys
import threading
import time
import types
import weakref
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("torch")

import torch
from torch.overrides import TorchFunctionMode
from training import train
from twins import run_twice

import whygrad.observe
from whygrad.observe.patching import Patches
from whygrad.observe.session import Session

if TYPE_CHECKING:
    from conftest import Launch

HERE = Path(__file__).resolve().parent
OBSERVER = str(Path(whygrad.observe.__file__).parent)


def one_of_each_rule() -> list[Any]:
    """The first buggy script of every rule."""
    folders = sorted(folder for folder in (HERE / "cases").iterdir() if folder.is_dir())
    scripts = [next(iter(sorted(folder.glob("bug_*.py"))), None) for folder in folders]
    return [pytest.param(script, id=script.parent.name) for script in scripts if script is not None]


@pytest.mark.parametrize("script", one_of_each_rule())
def test_a_buggy_script_computes_the_same(script: Path) -> None:
    twins = run_twice(script)
    assert not twins.differences(), "\n".join(twins.differences())


def session(steps: int = 10**6) -> Session:
    """A session that observes to the end."""
    return Session("train.py", (), steps, lambda: None, lambda trace: None)


# -- nothing is left ---------------------------------------------------------------------------------


def observed() -> None:
    """Attach, train, detach."""
    watch = session()
    watch.attach()
    try:
        train(2)
    finally:
        watch.detach()


def everything() -> dict[str, Any]:
    """Every attribute of every module and class of torch, and of what else the observer touches; tables as copies."""
    found: dict[str, Any] = {}
    modules = [(n, m) for n, m in list(sys.modules.items()) if n.partition(".")[0] == "torch" or n in OTHERS]
    for name, module in modules:
        if isinstance(module, ModuleType):
            for key, value in list(vars(module).items()):
                found[f"{name}.{key}"] = value
                if isinstance(value, type) and value.__module__ == name:
                    found |= {f"{name}.{key}.{k}": v for k, v in list(vars(value).items())}
    return {name: (dict(value) if isinstance(value, dict) else value) for name, value in found.items()}


OTHERS = {"warnings", "threading", "sys", "os", "signal", "gc", "builtins", "numpy"}
#: Counters, caches and what a training leaves anyway.
PASSING = (
    "__warningregistry__",
    "cache",
    "_abc_impl",
    ".last_",
    "sys.modules",
    "next_id",
    "threading._active",
)


def test_no_attribute_stays_replaced() -> None:
    observed()  # what is imported and cached at the first use
    before = everything()
    observed()
    after = everything()
    names = sorted(n for n in before.keys() | after.keys() if not any(p in n for p in PASSING))
    changed = [n for n in names if not same(before.get(n), after.get(n))]
    assert not changed


def same(one: Any, other: Any) -> bool:
    """Whether an attribute holds the same object; numbers and tables may be equal instead."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(v is other[k] for k, v in one.items())
    return one is other or (isinstance(one, (int, float, str)) and one == other)


def test_no_mode_and_no_switch_is_left() -> None:
    profile, stance = threading.getprofile(), str(torch._dynamo.eval_frame._stance)  # type: ignore[attr-defined]
    depth = torch._C._len_torch_function_stack()
    observed()
    assert torch._C._len_torch_function_stack() == depth
    assert torch._C._len_torch_dispatch_stack() == 0
    assert torch.is_grad_enabled()
    assert threading.getprofile() is profile
    assert str(torch._dynamo.eval_frame._stance) == stance  # type: ignore[attr-defined]


def test_compilation_is_switched_on_again() -> None:
    stance = torch._dynamo.eval_frame  # type: ignore[attr-defined]
    watch = session()
    watch.attach()
    torch.compile(torch.nn.Linear(2, 2), backend="eager")
    torch.compile(torch.nn.Linear(2, 2), backend="eager")
    during = stance._stance.stance
    watch.detach()
    assert (during, stance._stance.stance) == ("force_eager", "default")


def test_nothing_of_the_observer_runs_afterwards() -> None:
    """Not from a graph, a model, an optimizer or a function that the script has kept."""
    watch = session()
    watch.attach()
    clip = torch.nn.utils.clip_grad_norm_
    compile_ = torch.compile
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    loss = model(torch.randn(4, 3)).square().mean()
    loss.backward(retain_graph=True)
    optimizer.step()
    watch.detach()
    ran: set[str] = set()

    def profile(frame: Any, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OBSERVER):
            ran.add(frame.f_code.co_qualname if sys.version_info >= (3, 11) else frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        loss.backward()
        optimizer.step()
        scheduler.step()
        train()
    finally:
        sys.setprofile(None)
    assert ran <= {"Values._dropper.<locals>.drop", "drop"}  # a tensor died whose note the trace still needs
    ran.clear()
    sys.setprofile(profile)
    try:
        clip(model.parameters(), 1.0)
        compile_(model, backend="eager")
    finally:
        sys.setprofile(None)
    assert {name.rpartition(".")[2] for name in ran} <= {"call", "clip", "drop"}  # which only hand on


def test_the_observer_itself_is_freed() -> None:
    watch = session()
    watch.attach()
    train()
    watch.detach()
    assert watch._observation is not None
    observation, recorder = weakref.ref(watch._observation), weakref.ref(watch._observation.recorder)
    del watch
    until = time.monotonic() + 5
    while (observation() or recorder()) and time.monotonic() < until:
        time.sleep(0.01)  # a thread's modes are destroyed a little after one could join it
        gc.collect()
    assert (observation(), recorder()) == (None, None)


def test_what_somebody_else_put_over_ours_stays() -> None:
    original = torch.from_numpy
    watch = session()
    watch.attach()
    ours = torch.from_numpy

    def theirs(array: Any) -> torch.Tensor:
        return ours(array)

    torch.from_numpy = theirs
    watch.detach()
    try:
        assert torch.from_numpy is theirs
        import numpy as np

        assert torch.from_numpy(np.ones(2)).sum() == 2
    finally:
        torch.from_numpy = original


def test_modes_of_the_script_stay_where_they_are() -> None:
    class Mode(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    watch = session()
    with Mode() as below:
        watch.attach()
        with Mode() as above:
            watch.detach()
            stack = [torch._C._get_function_stack_at(i) for i in range(torch._C._len_torch_function_stack())]
            assert stack[-2:] == [below, above]


def test_a_profiler_of_the_scripts_goes_on() -> None:
    names: list[str] = []

    def profile(frame: Any, event: str, arg: Any) -> None:
        names.append(frame.f_code.co_name)

    def work() -> None:
        torch.ones(2).sum()

    def in_thread() -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    before = threading.getprofile()
    threading.setprofile(profile)
    try:
        watch = session()
        watch.attach()
        in_thread()
        during = names.count("work")
        watch.detach()
        assert threading.getprofile() is profile
        in_thread()
        assert during
        assert names.count("work") == 2 * during
    finally:
        threading.setprofile(before)  # type: ignore[arg-type]


def test_backward_is_seen_once_by_either_name() -> None:
    layer = torch.nn.Linear(3, 1)
    watch = session()
    watch.attach()
    original = torch.autograd.backward
    layer(torch.ones(2, 3)).sum().backward()
    torch.autograd.backward(layer(torch.ones(2, 3)).sum())
    original([layer(torch.ones(2, 3)).sum(), layer(torch.ones(2, 3)).mean()])
    watch.detach()
    trace = watch.trace("end", None, 0, 0.0)
    assert [(b.kind, len(b.losses), len(b.grads)) for b in trace.backwards] == [
        ("backward", 1, 2),
        ("backward", 1, 2),
        ("backward", 2, 2),
    ]
    assert not trace.problems


# -- memory ------------------------------------------------------------------------------------------


def test_notes_of_dead_tensors_go_with_them() -> None:
    """Over many steps only the trace grows: what watchers keep of the first steps is bounded."""

    def sizes() -> tuple[int, ...]:
        gc.collect()
        seen = watch._observation
        assert seen is not None
        values = seen.recorder.values
        # small ones with measurements are kept of the first steps
        tensors = sum(isinstance(o, torch.Tensor) and o.requires_grad for o in gc.get_objects())
        return len(values._notes), tensors

    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters())

    def steps(count: int) -> None:
        for _ in range(count):
            x = torch.randn(8, 4)
            loss = (model(x) - x[:, :1].detach()).square().mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            loss.item()

    watch = session()
    watch.attach()
    try:
        seen = []
        for count in (60, 200):  # 60: as many as statistics of layers and batches are kept of
            steps(count)
            seen.append(sizes())
        assert seen[0] == seen[1]
    finally:
        watch.detach()


# -- warnings ----------------------------------------------------------------------------------------

WARNING = (HERE / "fixtures" / "warning.py").read_text(encoding="utf-8")


def test_warnings_are_shown_as_they_would_be(torch_launch: Launch) -> None:
    torch_launch.write({"warning.py": WARNING})
    alone = torch_launch.python("warning.py")
    seen = torch_launch.whygrad("run", "--steps", "1000", "warning.py")
    assert seen.stdout == alone.stdout
    assert alone.stderr.count("Warning") > 20
    assert seen.stderr.startswith(alone.stderr)


# -- processes ---------------------------------------------------------------------------------------

SPAWNED = """
import sys
import torch
from torch.utils.data import DataLoader, Dataset

class Data(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.full((3,), float(i))

if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    workers = int(sys.argv[1])
    how = "spawn" if workers else None
    for x in DataLoader(Data(), batch_size=4, num_workers=workers, multiprocessing_context=how):
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""


def test_workers_that_are_spawned(torch_launch: Launch) -> None:
    torch_launch.write({"spawned.py": SPAWNED})
    alone = torch_launch.python("spawned.py", "0")
    seen = torch_launch.whygrad("run", "--steps", "1000", "spawned.py", "1")
    assert alone.stdout.count("\n") == 2
    assert seen.stdout == alone.stdout


def test_what_was_put_over_a_replacement_calls_the_original_afterwards() -> None:
    """As torch._dynamo does to torch.manual_seed, when it is imported while a script is observed."""
    owner = types.SimpleNamespace(seed=lambda number: number)
    original, heard = owner.seed, []
    patches = Patches()
    patches.around(owner, "seed", after=lambda token, result, number: heard.append(number))
    ours = owner.seed

    @functools.wraps(ours)
    def over(number: int) -> int:
        return ours(number)

    owner.seed = over
    assert owner.seed(3) == 3
    patches.undo()
    assert owner.seed is over
    assert over.__wrapped__ is original
    assert [cell.cell_contents for cell in over.__closure__] == [original]
    assert owner.seed(4) == 4
    assert heard == [3]
