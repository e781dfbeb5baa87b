"""``--overfit``: the batch is repeated, the loss is compared with what a constant guess reaches, nothing is left behind."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F
from cases_runner import Case, run_case
from torch.utils.data import DataLoader, IterableDataset

from whygrad.diagnose import diagnose
from whygrad.finding import Overfit
from whygrad.observe import levels, operands
from whygrad.observe.guard import Problems
from whygrad.observe.patching import Patches
from whygrad.observe.pinning import Loaders, copied
from whygrad.proving.intervention import Intervention
from whygrad.trace import load, save

if TYPE_CHECKING:
    from conftest import Launch

OVERFIT = Intervention("overfit", "the first batch at every pass")
HEAD = """
import random
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

torch.manual_seed(0)
random.seed(0)
x, y = torch.randn(512, 8), torch.randint(4, (512,))
model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), 0.01)
seen = []


def step(a, b):
    seen.append(float(a.sum()))
    loss = F.cross_entropy(model(a), b)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


"""
LOADER = "loader = DataLoader(TensorDataset(x, y), 32, shuffle=True)\n"
EPOCHS = "for epoch in range(50):\n    for a, b in loader:\n        step(a, b)\n"


def case_of(folder: Path, body: str, steps: int = 200) -> Case:
    script = folder / "train.py"
    script.write_text(HEAD + textwrap.dedent(body), encoding="utf-8")
    return run_case(script, steps, OVERFIT)


def overfit_of(folder: Path, body: str, steps: int = 200) -> Overfit:
    case = case_of(folder, body, steps)
    assert case.error is None, case.said()
    assert not case.graph.trace.problems, case.said()
    assert case.report.overfit is not None
    return case.report.overfit


# --- loops whose batch can be repeated -------------------------------------------------------------------------------

LOOPS = {
    "shuffled loader": ("loader", LOADER + EPOCHS),
    "a loader for every epoch": (
        "loader",
        "for epoch in range(50):\n    for a, b in DataLoader(TensorDataset(x, y), 32, shuffle=True):\n        step(a, b)\n",
    ),
    "iterable dataset": (
        "loader",
        """
        class Stream(IterableDataset):
            def __iter__(self):
                yield from zip(x, y)

        for epoch in range(50):
            for a, b in DataLoader(Stream(), 32):
                step(a, b)
        """,
    ),
    "next of iter": ("loader", LOADER + "while True:\n    a, b = next(iter(loader))\n    step(a, b)\n"),
    "slices": (
        "held",
        "while True:\n    for i in range(0, 512, 32):\n        step(x[i:i + 32], y[i:i + 32])\n",
    ),
    "a smaller last batch": (
        "held",
        "while True:\n    for i in range(0, 100, 32):\n        step(x[i:min(i + 32, 100)], y[i:min(i + 32, 100)])\n",
    ),
    "a permutation": (
        "held",
        """
        while True:
            order = torch.randperm(512)
            for i in range(0, 512, 32):
                step(x[order[i:i + 32]], y[order[i:i + 32]])
        """,
    ),
    "random indices": (
        "held",
        "while True:\n    i = torch.randint(512, (32,))\n    step(x[i], y[i])\n",
    ),
    "split": ("held", "while True:\n    for a, b in zip(x.split(32), y.split(32)):\n        step(a, b)\n"),
    "chunk before the loop": (
        "held",
        "batches = list(zip(x.chunk(16), y.chunk(16)))\nwhile True:\n    for a, b in batches:\n        step(a, b)\n",
    ),
    "NumPy": (
        "held",
        """
        import numpy as np
        X, Y = x.numpy(), y.numpy()
        while True:
            i = np.random.randint(0, 512, 32)
            step(torch.from_numpy(X[i]), torch.tensor(Y[i]))
        """,
    ),
    "the same data": ("same", "while True:\n    step(x[:32], y[:32])\n"),
    "an evaluation in between": (
        "held",
        """
        while True:
            for i in range(0, 512, 32):
                step(x[i:i + 32], y[i:i + 32])
            with torch.no_grad():
                for a, b in DataLoader(TensorDataset(x, y), 64):
                    F.cross_entropy(model(a), b)
        """,
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_model_that_can_learn_memorises_the_batch(tmp_path: Path, name: str) -> None:
    batch, body = LOOPS[name]
    found = overfit_of(tmp_path, body)
    assert found.batch == batch, found.text
    assert found.outcome == "memorised", found.text
    assert found.loss == "cross_entropy"
    assert found.guess is not None
    assert found.uniform == pytest.approx(math.log(4))
    assert found.start is not None
    assert found.end is not None
    assert found.end < 0.1 * found.guess < found.start
    assert found.right == 1.0
    assert "has memorised the batch" in found.text


def test_workers_that_load(torch_launch: Launch) -> None:
    body = (
        "if __name__ == '__main__':\n"
        + textwrap.indent(LOADER.replace("shuffle=True", "shuffle=True, num_workers=2"), "    ")
        + textwrap.indent(EPOCHS, "    ")
    )
    torch_launch.write({"x.py": HEAD + body})
    done = torch_launch.whygrad("run", "--overfit", "--format", "json", "--output", "report", "x.py")
    assert done.returncode == 0, done.stderr
    found = json.loads((torch_launch.folder / "report").read_text())
    assert found["steps"] == 200
    assert found["overfit"]["outcome"] == "memorised"
    assert found["overfit"]["batch"] == "loader"


# --- loops whose batch cannot be repeated ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "while True:\n    i, n = random.randint(0, 400), random.randint(10, 40)\n    step(x[i:i + n], y[i:i + n])\n",
            "shapes",
        ),
        (
            "while True:\n    i = random.randint(0, 400)\n    step(x[i:i + 32].clone().requires_grad_(), y[i:i + 32])\n",
            "new at every pass",
        ),
        (
            "model = torch.jit.script(model)\nwhile True:\n    i = random.randint(0, 400)\n    step(x[i:i + 32], y[i:i + 32])\n",
            "do not see it",
        ),
    ],
    ids=["lengths", "inputs that require grad", "scripted"],
)
def test_it_is_said_that_the_batch_could_not_be_repeated(tmp_path: Path, body: str, why: str) -> None:
    found = overfit_of(tmp_path, body, 80)
    assert (found.outcome, found.batch) == ("unknown", "changing")
    assert "could not be repeated" in found.text
    assert why in found.text


def test_a_step_by_hand_is_followed_too(tmp_path: Path) -> None:
    body = """
    weight = torch.zeros(8, 1, requires_grad=True)
    while True:
        i = 32 * random.randint(0, 15)
        loss = F.mse_loss(x[i:i + 32] @ weight, x[i:i + 32].sum(1, keepdim=True))
        loss.backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
            weight.grad = None
    """
    found = overfit_of(tmp_path, body, 120)
    assert (found.outcome, found.batch) == ("memorised", "held"), found.text
    assert "in 119 steps" in found.text  # the window closes at the end of the 120th backward pass
    assert not found.least_moved  # the optimizer that HEAD has made never steps


def test_half_a_batch_is_never_held(tmp_path: Path) -> None:
    """The targets have equal shapes, the inputs do not: the pairs must stay together."""
    body = """
    pairs = set()
    while True:
        i, n = random.randint(0, 400), random.randint(1, 8)
        loss = F.cross_entropy(model(x[i:i + n].repeat(n, 1)).mean(0, keepdim=True), y[i:i + 1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    assert overfit_of(tmp_path, body, 80).batch == "changing"


# --- models that cannot ------------------------------------------------------------------------------------------------


def stuck(folder: Path, body: str) -> tuple[Case, Overfit]:
    case = case_of(folder, body)
    assert case.report.overfit is not None
    assert case.report.overfit.outcome == "stuck", case.report.overfit.text
    assert [(f.rule, f.severity) for f in case.loud] == [("cannot-overfit", "warning")], case.said()
    assert case.report.verdict == "suspect"
    assert case.loud[0].link == 10
    return case, case.report.overfit


def test_a_learning_rate_far_too_small(tmp_path: Path) -> None:
    case, found = stuck(tmp_path, "optimizer = torch.optim.SGD(model.parameters(), 1e-5)\n" + LOADER + EPOCHS)
    assert "raise the learning rate" in case.loud[0].fix
    assert set(found.least_moved) == {"0", "2"}
    assert max(found.least_moved.values()) < 0.01


def test_inputs_that_are_all_alike(tmp_path: Path) -> None:
    case, found = stuck(tmp_path, LOADER + EPOCHS.replace("step(a, b)", "step(0 * a + 1, b)"))
    assert found.end == pytest.approx(found.guess, rel=0.02)
    assert "the model knows no more than that guess" in found.text
    assert case.loud[0].evidence["constant_guess"] == found.guess
    assert case.loud[0].causes[0].code == "loss = F.cross_entropy(model(a), b)"


def test_one_module_that_hardly_moves(tmp_path: Path) -> None:
    body = """
    torch.nn.init.normal_(model[2].weight, std=0.001)
    optimizer = torch.optim.Adam(
        [{"params": model[0].parameters(), "lr": 1e-6}, {"params": model[2].parameters(), "lr": 1e-2}]
    )
    torch.nn.init.constant_(model[0].bias, 0.0)
    with torch.no_grad():
        model[0].weight.copy_(model[0].weight[:1].expand_as(model[0].weight))
    """
    case, found = stuck(tmp_path, textwrap.dedent(body) + LOADER + EPOCHS)
    assert next(iter(found.least_moved)) == "0"
    assert "hardly moved: 0." in case.loud[0].fix


def test_a_loss_that_becomes_nan(tmp_path: Path) -> None:
    body = "optimizer = torch.optim.SGD(model.parameters(), 1e12)\n" + LOADER + EPOCHS
    found = case_of(tmp_path, body).report.overfit
    assert found is not None
    assert found.outcome == "diverged", found.text


def test_a_slow_one_is_told_to_go_on(tmp_path: Path) -> None:
    body = "optimizer = torch.optim.Adam(model.parameters(), 1e-3)\n" + LOADER + EPOCHS
    case = case_of(tmp_path, body, 100)
    assert case.report.overfit is not None
    assert case.report.overfit.outcome == "falling", case.report.overfit.text
    assert not case.loud
    assert [f.rule for f in case.report.findings] == ["cannot-overfit"]
    assert "--steps" in case.report.findings[0].fix


@pytest.mark.parametrize("steps", [1, 2, 3, 8])
def test_too_few_passes_are_no_judgement(tmp_path: Path, steps: int) -> None:
    case = case_of(tmp_path, LOADER + EPOCHS, steps)
    assert not case.report.incomplete, case.said()
    assert case.report.overfit is not None
    assert case.report.overfit.outcome == "unknown"
    assert not case.report.findings


def test_two_networks_against_each_other_are_not_judged(tmp_path: Path) -> None:
    body = """
    maker, judge = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
    first, second = torch.optim.Adam(judge.parameters(), 1e-3), torch.optim.Adam(maker.parameters(), 1e-3)
    bce = torch.nn.BCEWithLogitsLoss()
    for (a,) in (batch for _ in range(20) for batch in DataLoader(TensorDataset(x), 32)):
        real, made = judge(a), judge(maker(torch.randn(32, 4)).detach())
        loss = bce(real, torch.ones(32, 1)) + bce(made, torch.zeros(32, 1))
        first.zero_grad()
        loss.backward()
        first.step()
        loss = bce(judge(maker(torch.randn(32, 4))), torch.ones(32, 1))
        second.zero_grad()
        loss.backward()
        second.step()
    """
    case = case_of(tmp_path, body)
    assert case.report.overfit is not None
    assert case.report.overfit.outcome == "unknown"
    assert "against each other" in case.report.overfit.text
    assert not case.loud, case.said()


# --- the loss ----------------------------------------------------------------------------------------------------------


def test_a_regression(tmp_path: Path) -> None:
    body = """
    model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    target = x.sum(1, keepdim=True)
    for epoch in range(50):
        for a, b in DataLoader(TensorDataset(x, target), 32):
            loss = F.mse_loss(model(a), b) / 4
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    variance = target[:32].var(unbiased=False)
    """
    found = overfit_of(tmp_path, body)
    torch.manual_seed(0)
    expected = float(torch.randn(512, 8)[:32].sum(1).var(unbiased=False))
    assert found.guess == pytest.approx(expected, rel=1e-4)
    assert found.uniform is None
    assert found.outcome == "memorised", found.text


def test_a_broadcast_in_a_regression_is_stuck_at_the_variance(tmp_path: Path) -> None:
    body = """
    model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for epoch in range(50):
        for a, b in DataLoader(TensorDataset(x, x.sum(1)), 32):
            loss = F.mse_loss(model(a), b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    """
    case = case_of(tmp_path, body)
    assert case.report.overfit is not None
    assert case.report.overfit.outcome == "stuck"
    assert case.report.overfit.end == pytest.approx(case.report.overfit.guess, rel=0.05)


@pytest.mark.parametrize(("rate", "outcome"), [(0.01, "memorised"), (1e-6, "stuck")])
def test_a_loss_written_by_hand(tmp_path: Path, rate: float, outcome: str) -> None:
    body = f"""
    optimizer = torch.optim.Adam(model.parameters(), {rate})
    while True:
        i = random.randint(0, 400)
        loss = ((model(x[i:i + 32]) - x[i:i + 32, :4]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    found = overfit_of(tmp_path, body)
    assert (found.outcome, found.guess, found.loss) == (outcome, None, ""), found.text
    assert "not known for this loss" in found.text


def test_the_loss_of_a_grad_scaler_is_told_unscaled(tmp_path: Path) -> None:
    body = """
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    while True:
        loss = (model(x[:32]) - x[:32, :4]).square().mean()
        first = first if "first" in globals() else float(loss)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    """
    found = overfit_of(tmp_path, body, 60)
    assert found.start is not None
    assert found.start < 10


def test_two_losses_are_added_as_the_script_weighs_them(tmp_path: Path) -> None:
    body = """
    for a, b in (batch for _ in range(50) for batch in DataLoader(TensorDataset(x, y), 32)):
        out = model(a)
        loss = F.cross_entropy(out, b) + 0.5 * F.mse_loss(out.mean(1), a[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    case = case_of(tmp_path, body)
    found, run = case.report.overfit, case.graph.trace.overfit
    assert found is not None
    assert run is not None
    assert found.loss == "cross_entropy + mse_loss"
    assert [call.weight for call in run.calls] == pytest.approx([1.0, 0.5])
    assert found.guess == pytest.approx(sum((c.guess or 0) * c.weight for c in run.calls))
    assert found.start == pytest.approx(run.losses[0], rel=1e-5)


def test_losses_of_every_pass_are_kept_though_the_window_is_short(tmp_path: Path) -> None:
    case = case_of(tmp_path, LOADER + EPOCHS, 120)
    run = case.graph.trace.overfit
    assert run is not None
    assert len(run.losses) == 120
    assert len(case.report.losses) < 40
    assert case.report.steps == 120


# --- the levels ---------------------------------------------------------------------------------------------------------


def best_constant(loss: Any, size: int, *args: Any, **kwargs: Any) -> float:
    """The least loss that one answer for all samples can reach, found by gradient descent."""
    answer = torch.zeros(1, size, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([answer], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> Any:
        optimizer.zero_grad()
        value = loss(answer, *args, **kwargs)
        value.backward()
        return value

    optimizer.step(closure)
    return float(closure())


LABELS = torch.tensor([0, 0, 1, 2, 2, 2, -100, 1])
SOFT = torch.softmax(torch.randn(8, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64), 1)
BINARY = (SOFT > 0.3).double()
WEIGHT = torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64)


@pytest.mark.parametrize(
    ("func", "target", "options"),
    [
        (F.cross_entropy, LABELS, {}),
        (F.cross_entropy, LABELS, {"reduction": "sum"}),
        (F.cross_entropy, LABELS, {"weight": WEIGHT}),
        (F.cross_entropy, LABELS, {"weight": WEIGHT, "reduction": "sum"}),
        (F.cross_entropy, LABELS, {"label_smoothing": 0.2}),
        (F.cross_entropy, SOFT, {}),
        (F.cross_entropy, SOFT, {"weight": WEIGHT}),
        (F.binary_cross_entropy_with_logits, BINARY, {}),
        (F.binary_cross_entropy_with_logits, SOFT, {"reduction": "sum"}),
        (F.binary_cross_entropy_with_logits, BINARY, {"pos_weight": WEIGHT}),
        (F.binary_cross_entropy_with_logits, BINARY, {"weight": WEIGHT}),
        (F.mse_loss, SOFT, {}),
        (F.mse_loss, SOFT, {"reduction": "sum"}),
        (F.l1_loss, SOFT, {}),
    ],
)  # fmt: skip
def test_the_constant_guess_is_the_best_there_is(func: Any, target: Any, options: dict[str, Any]) -> None:
    def loss(answer: Any) -> Any:
        return func(answer.expand(8, 3), target, **options)

    found = levels.level(func, (torch.zeros(8, 3, dtype=torch.float64), target), options)
    assert found is not None
    assert found.guess == pytest.approx(best_constant(loss, 3), rel=1e-3)
    assert found.floor <= found.guess


@pytest.mark.parametrize("func", [F.smooth_l1_loss, F.huber_loss])
def test_a_guess_for_losses_without_a_formula_is_near_the_best(func: Any) -> None:
    target = 3 * torch.randn(64, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    found = levels.level(func, (torch.zeros_like(target), target), {})
    assert found is not None
    best = best_constant(lambda answer: func(answer.expand(64, 2), target), 2)
    assert best <= found.guess < 1.1 * best


def test_the_floor_of_soft_targets_is_reached_by_a_perfect_answer() -> None:
    for func, perfect, target, options in [
        (F.cross_entropy, SOFT.log(), SOFT, {}),
        (F.binary_cross_entropy_with_logits, torch.logit(SOFT), SOFT, {}),
        (F.binary_cross_entropy, SOFT, SOFT, {"reduction": "sum"}),
    ]:
        found = levels.level(func, (perfect, target), options)
        assert found is not None
        assert found.floor == pytest.approx(float(func(perfect, target, **options)))


def test_other_functions_have_no_level() -> None:
    assert levels.level(F.kl_div, (SOFT, SOFT), {}) is None
    assert levels.level(F.mse_loss, (SOFT, SOFT), {"weight": SOFT}) is None


def test_shares_of_samples_in_their_class() -> None:
    scores = torch.tensor([[2.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 3.0, 1.0]])
    right = levels.share_right(F.cross_entropy, (scores, torch.tensor([0, 1, -100])), {})
    assert right is not None
    assert float(right) == 0.5
    right = levels.share_right(
        F.binary_cross_entropy, (torch.tensor([0.9, 0.2]), torch.tensor([1.0, 1.0])), {}
    )
    assert right is not None
    assert float(right) == 0.5
    assert levels.share_right(F.mse_loss, (scores, scores), {}) is None


# --- pinning -------------------------------------------------------------------------------------------------------------


class Stream(IterableDataset):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        yield from torch.arange(10.0)


class Halves(torch.utils.data.Sampler):  # type: ignore[type-arg]
    """A batch sampler that does not know its length."""

    def __iter__(self) -> Any:
        yield [0, 1]
        yield [2]


class _Recorder:
    def __init__(self) -> None:
        self.problems = Problems()
        self.stacks = self

    def here(self) -> int:
        return -1


@pytest.fixture
def pinned() -> Any:
    patches = Patches()
    Loaders(_Recorder()).install(patches)  # type: ignore[arg-type]
    yield patches
    patches.undo()


def batches(loader: Any) -> list[list[float]]:
    return [torch.as_tensor(batch).flatten().tolist() for batch in loader]


def loaders() -> dict[str, Any]:
    data = torch.arange(20.0)
    return {
        "in order": DataLoader(data, 4),
        "shuffled": DataLoader(data, 4, shuffle=True),
        "uneven": DataLoader(data, 3),
        "drop_last": DataLoader(data, 3, drop_last=True),
        "unbatched": DataLoader(data, None),
        "own generator": DataLoader(data, 4, shuffle=True, generator=torch.Generator().manual_seed(3)),
        "batch sampler": DataLoader(data, batch_sampler=Halves()),
        "stream": DataLoader(Stream(), 4),
        "workers": DataLoader(data, 4, shuffle=True, num_workers=1),
    }


@pytest.mark.parametrize("name", loaders())
def test_the_first_batch_is_the_scripts_own_and_is_repeated_as_often(pinned: Patches, name: str) -> None:
    torch.manual_seed(5)
    repeated = [batches(loader) for loader in [loaders()[name]] for _ in range(2)]
    pinned.undo()
    torch.manual_seed(5)
    own = batches(loaders()[name])
    assert repeated == [[own[0]] * len(own)] * 2


@pytest.mark.parametrize("name", ["shuffled", "in order", "own generator"])
def test_the_random_state_after_the_first_batch_is_the_scripts_own(pinned: Patches, name: str) -> None:
    states = []
    for _ in range(2):
        torch.manual_seed(5)
        iterator = iter(loaders()[name])
        drawn = torch.rand(1)  # between making the iterator and the first batch
        states.append((drawn, next(iterator), torch.get_rng_state()))
        pinned.undo()
    (drawn, batch, state), (own_drawn, own_batch, own_state) = states
    assert torch.equal(drawn, own_drawn)
    assert torch.equal(batch, own_batch)
    assert torch.equal(state, own_state)


def test_what_is_done_to_a_batch_in_place_does_not_add_up(pinned: Patches) -> None:
    seen = []
    for batch in DataLoader(torch.ones(12), 4):
        seen.append(batch.tolist())
        batch.mul_(2)
    assert seen == [[1.0] * 4] * 3


def test_errors_and_ends_are_the_loaders_own(pinned: Patches) -> None:
    class Broken(torch.utils.data.Dataset):  # type: ignore[type-arg]
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> float:
            raise ValueError("no such file")

    with pytest.raises(ValueError, match="no such file"):
        next(iter(DataLoader(Broken(), 2)))
    assert batches(DataLoader(torch.ones(0), 2)) == []
    assert len(DataLoader(torch.ones(6), 2)) == len(iter(DataLoader(torch.ones(6), 2))) == 3


def test_two_loaders_keep_to_their_own_batches(pinned: Patches) -> None:
    one, two = DataLoader(torch.arange(4.0), 2), DataLoader(torch.arange(4.0) + 10, 2)
    assert list(zip(batches(one), batches(two), strict=True)) == [([0.0, 1.0], [10.0, 11.0])] * 2


def test_batches_of_all_kinds_are_copied() -> None:
    from collections import namedtuple

    pair = namedtuple("pair", "a b")
    batch = pair([torch.ones(2), "name"], {"x": torch.zeros(1), "n": (1, None)})
    other = copied(batch)
    assert isinstance(other, pair)
    assert other.b["n"] == (1, None)
    other.a[0].add_(1)
    other.b["x"].add_(1)
    assert batch.a[0].tolist() == [1.0, 1.0]
    assert batch.b["x"].tolist() == [0.0]


def test_operands_are_told_apart_by_their_contents_and_order() -> None:
    tensor = torch.randn(3, 4)
    same = [operands.digest(t) for t in (tensor, tensor.clone(), tensor.t().t())]
    assert len({int(n) for n in same}) == 1
    other = [tensor.flip(0), tensor + 1e-6, tensor.t()]
    assert not {int(operands.digest(t)) for t in other} & {int(same[0])}
    kinds = [torch.tensor([True, False]), torch.tensor([1 + 2j]), torch.arange(3), torch.ones(2).half()]
    assert len({int(operands.digest(t)) for t in kinds}) == 4


# --- what is left behind ---------------------------------------------------------------------------------------------------


def test_everything_is_taken_off_again(tmp_path: Path) -> None:
    before = [DataLoader.__dict__["__iter__"], torch.amp.GradScaler.__dict__["scale"], F.cross_entropy]
    case = case_of(tmp_path, LOADER + EPOCHS, 30)
    after = [DataLoader.__dict__["__iter__"], torch.amp.GradScaler.__dict__["scale"], F.cross_entropy]
    assert after == before
    assert torch._C._len_torch_function_stack() == 0
    assert not sys.modules["torch.optim.optimizer"]._global_optimizer_pre_hooks
    variables = case.graph.trace
    assert variables.overfit is not None


def test_a_held_run_computes_what_a_loop_over_that_batch_computes(tmp_path: Path) -> None:
    """From the decision on: the parameters go where the script itself would take them with that batch."""
    body = """
    states = {}
    for number in range(40):
        i = 32 * (number % 16) if HELD or number < 9 else 0
        step(x[i:i + 32], y[i:i + 32])
        states[number] = float(sum(p.detach().sum() for p in model.parameters()))
    print(repr(states[39]))
    """
    held = case_of(tmp_path, body.replace("HELD", "True"), 1000)
    run = held.graph.trace.overfit
    assert run is not None
    decided = run.whole.index(True, 1)
    alone = tmp_path / "alone.py"
    alone.write_text(HEAD + textwrap.dedent(body.replace("HELD or number < 9", f"number < {decided}")))
    assert run_case(alone, 1000).printed == held.printed


def test_a_record_of_it_is_read_back_and_told_again(tmp_path: Path) -> None:
    case = case_of(tmp_path, LOADER + EPOCHS, 60)
    save(case.graph.trace, tmp_path / "record")
    assert diagnose(load(tmp_path / "record")).overfit == case.report.overfit


def test_an_ordinary_run_says_nothing_of_it(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(HEAD + LOADER + EPOCHS)
    assert run_case(script).report.overfit is None


# --- the command line ------------------------------------------------------------------------------------------------------


def test_the_option(torch_launch: Launch) -> None:
    slow = "optimizer = torch.optim.SGD(model.parameters(), 1e-6)\n"
    torch_launch.write(
        {"x.py": HEAD + slow + LOADER + EPOCHS + "    torch.save(model.state_dict(), 'best.pt')\n"}
    )
    done = torch_launch.whygrad("run", "--overfit", "--steps", "60", "--fail-on", "warning", "x.py")
    assert done.returncode == 1
    assert done.stdout == ""
    assert (
        "whygrad: the script writes best.pt; in this run it was trained on one repeated batch only"
        in done.stderr
    )
    assert "warning: cannot-overfit" in done.stderr
    assert "Overfit With every DataLoader repeating its first batch" in done.stderr
    assert "moved least, of their own size" in done.stderr
    again = torch_launch.whygrad("report")
    assert "cannot-overfit" in again.stdout + again.stderr


def test_the_option_and_a_proof_exclude_each_other(launch: Launch) -> None:
    launch.write({"x.py": "pass"})
    done = launch.whygrad("run", "--overfit", "--prove", "x.py")
    assert done.returncode == 2
    assert "cannot be given together" in done.stderr
