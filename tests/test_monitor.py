"""``whygrad.watch`` on real trainings: what it measures, that nothing else changes, and what alarms do."""

from __future__ import annotations

import copy
import gc
import importlib.util
import io
import math
import os
import pickle
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from threads import in_a_thread_of_its_own
from torch import nn
from torch.optim import optimizer as torch_optimizer
from torch.overrides import _get_current_function_mode_stack

import whygrad
from whygrad.monitor.cadence import BUDGET, Cadence
from whygrad.monitor.parts import SAMPLE, Part, _stride
from whygrad.monitor.plan import Plan
from whygrad.monitor.reading import Reader
from whygrad.monitor.rows import NO_GRADIENT, UNSEEN, Row

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def nothing_left() -> Any:
    """After each test torch is as it was."""
    from torch.nn.utils import clip_grad

    before = (
        dict(torch_optimizer._global_optimizer_pre_hooks),
        dict(torch_optimizer._global_optimizer_post_hooks),
        clip_grad._clip_grads_with_norm_,
        torch.amp.GradScaler._maybe_opt_step,
    )
    yield
    after = (
        dict(torch_optimizer._global_optimizer_pre_hooks),
        dict(torch_optimizer._global_optimizer_post_hooks),
        clip_grad._clip_grads_with_norm_,
        torch.amp.GradScaler._maybe_opt_step,
    )
    assert before == after
    assert not _get_current_function_mode_stack()


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


X, Y = torch.randn(32, 8, generator=torch.Generator().manual_seed(1)), torch.arange(32) % 4


def train(
    model: nn.Module, optimizer: Any, steps: int = 5, after: Callable[[Any], None] = lambda loss: None
) -> list[float]:
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(X), Y)
        loss.backward()
        optimizer.step()
        after(loss)
        losses.append(loss.item())
    return losses


def rows_of(watch: whygrad.Watch, track: int = 0) -> list[Row]:
    watch.flush()
    assert watch.record is not None
    reader = Reader(watch.record)
    try:
        return reader.rows(track)
    finally:
        reader.close()


# -- nothing changes ---------------------------------------------------------------------------------------


def lbfgs(model: nn.Module, watch: Any) -> None:
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(X), Y)
        loss.backward()
        return loss

    for _ in range(4):
        optimizer.step(closure)
        watch.step()


def accumulating(model: nn.Module, watch: Any) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for n in range(12):
        loss = F.cross_entropy(F.dropout(model(X), 0.1), Y) / 3
        loss.backward()
        if n % 3 == 2:
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad()
            watch.step(loss)


def scaled(model: nn.Module, watch: Any) -> None:
    optimizer = torch.optim.Adam(model.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**20)
    for _ in range(6):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(X).float(), Y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        watch.step(loss)


class Nobody:
    def step(self, loss: Any = None) -> None: ...


@pytest.mark.parametrize("loop", [lbfgs, accumulating, scaled])
def test_a_watched_training_is_bit_identical(loop: Callable[[nn.Module, Any], None]) -> None:
    plain, watched = net(), net()
    loop(plain, Nobody())
    state = torch.get_rng_state()
    torch.manual_seed(0)
    net()
    with whygrad.watch(watched, every=1) as watch:
        loop(watched, watch)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(p, q) for p, q in zip(plain.parameters(), watched.parameters(), strict=True))
    assert watch.steps == {lbfgs: 4, accumulating: 4, scaled: 6}[loop]
    assert (watch.alarms, watch.problems) == ([], ())


def test_models_and_optimizers_are_copied_and_pickled_as_ever() -> None:
    model = net()
    optimizer = torch.optim.Adam(model.parameters())
    with whygrad.watch(model, optimizer, every=1):
        train(model, optimizer, 2)
        copy.deepcopy((model, optimizer))
        pickle.loads(pickle.dumps(model))
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, io.BytesIO())
        assert not model._forward_pre_hooks
        assert not any(p._backward_hooks for p in model.parameters())
        assert not torch.nn.modules.module._global_forward_pre_hooks


# -- what is measured --------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_training() -> None:
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    expected = []
    with whygrad.watch(model, optimizer, every=1) as watch:
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(X), Y)
            loss.backward()
            model[0].weight.grad[:4] = 0.0
            total = nn.utils.clip_grad_norm_(model.parameters(), 0.05)
            before = [p.detach().clone() for p in model.parameters()]
            norms = [p.grad.norm().item() for p in model.parameters()]
            optimizer.step()
            watch.step(loss)
            ratios = [
                ((p - b).norm() / b.norm()).item() for p, b in zip(model.parameters(), before, strict=True)
            ]
            expected.append((norms, ratios, loss.item(), total.item()))
        rows = rows_of(watch)
    assert [row.step for row in rows] == [1, 2, 3]
    for row, (norms, ratios, value, total) in zip(rows, expected, strict=True):
        assert list(row.norms) == pytest.approx(norms, rel=1e-4)
        assert [row.details[i].ratio for i in range(4)] == pytest.approx(ratios, rel=1e-4)
        assert row.details[0].zero == pytest.approx(0.25)
        assert row.details[0].size == pytest.approx(model[0].weight.norm().item(), rel=0.1)
        assert (row.loss, row.unclipped, row.max_norm, row.lrs) == (
            pytest.approx(value),
            pytest.approx(total),
            0.05,
            (0.5,),
        )
        assert row.clip_ratio() == pytest.approx(0.05 / total, rel=1e-3)
    assert watch.tracks[0].names == ("0.weight", "0.bias", "2.weight", "2.bias")


def test_a_sample_tells_of_large_parameters() -> None:
    model = nn.Linear(512, 300)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(16, 512)
    with whygrad.watch(model, every=1) as watch:
        for _ in range(2):
            optimizer.zero_grad()
            loss = model(x)[:, :150].pow(2).mean()
            loss.backward()
            before = model.weight.detach().clone()
            optimizer.step()
        (_, row) = rows_of(watch)
    ratio = ((model.weight - before).norm() / before.norm()).item()
    assert row.details[0].ratio == pytest.approx(ratio, rel=0.1)
    assert row.details[0].zero == pytest.approx(0.5, abs=0.05)
    assert row.details[0].size == pytest.approx(before.norm().item(), rel=0.1)


def test_a_sample_is_spread_over_rows_and_columns() -> None:
    for rows, columns in ((1000, 512), (50_000, 768), (30, 30), (2048, 2), (3, 4096)):
        stride = _stride(rows * columns, columns)
        picked = torch.arange(0, rows * columns, stride)
        assert len(picked) <= SAMPLE
        assert picked[-1] >= 0.99 * rows * columns - stride
        assert len((picked % columns).unique()) >= min(columns, SAMPLE) // 2


def test_more_parameters_than_fit_are_looked_at_in_turn() -> None:
    model = nn.ModuleList(nn.Linear(3, 3) for _ in range(50))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with whygrad.watch(model, every=1) as watch:
        for _ in range(4):
            optimizer.zero_grad()
            sum(layer(torch.ones(1, 3)).sum() for layer in model).backward()
            optimizer.step()
        rows = rows_of(watch)
    assert [set(row.details) for row in rows[:2]] == [set(range(64)), set(range(64, 100))]
    assert all(d.ratio and d.ratio > 0 for row in rows for d in row.details.values())


def test_what_optimizers_and_parameters_there_are() -> None:
    """Two optimizers, frozen, tied, unused, sparse, double, complex and half parameters."""

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(50, 8, sparse=True)
            self.wide = nn.Parameter(torch.randn(8, dtype=torch.float64))
            self.pairs = nn.Parameter(torch.randn(8, dtype=torch.cfloat))
            self.small = nn.Parameter(torch.randn(8, dtype=torch.bfloat16))
            self.frozen = nn.Linear(8, 8).requires_grad_(False)
            self.unused = nn.Linear(8, 8)
            self.head = nn.Linear(8, 50)
            self.tied = self.head

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            h = self.embed(tokens) * self.wide.float() * self.pairs.abs() * self.small.float()
            return self.tied(self.frozen(h))

    torch.manual_seed(0)
    model = Model()
    sparse = torch.optim.SparseAdam(model.embed.parameters(), lr=0.1)
    dense = torch.optim.SGD([p for n, p in model.named_parameters() if n != "embed.weight"], lr=0.1)
    tokens = torch.tensor([[1, 2, 3, 1, 1]])
    with whygrad.watch(model, every=1) as watch:
        for _ in range(3):
            sparse.zero_grad()
            dense.zero_grad()
            F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()).backward()
            norm = model.embed.weight.grad.to_dense().norm().item()
            both = [
                getattr(model, n).grad.abs().pow(2).sum().sqrt().item() for n in ("wide", "pairs", "small")
            ]
            dense.step()
            sparse.step()
        rows, embed = rows_of(watch, 0), rows_of(watch, 1)
    names = watch.tracks[0].names
    last = dict(zip(names, rows[-1].norms, strict=True))
    assert [row.step for row in rows] == [row.step for row in embed] == [1, 2, 3]
    assert embed[-1].norms[0] == pytest.approx(norm, rel=1e-4)
    assert [last["wide"], last["pairs"], last["small"]] == pytest.approx(both, rel=1e-2)
    assert last["frozen.weight"] == UNSEEN
    assert last["unused.weight"] == NO_GRADIENT
    assert last["head.weight"] > 0
    assert "tied.weight" not in names
    assert rows[-1].details[names.index("wide")].ratio > 0
    report = watch.report()
    verdicts = {p.fqn: p.verdict for p in report.parameters}
    assert verdicts["frozen.weight"] == "frozen"
    assert verdicts["unused.weight"] == "reaches the loss by autograd"
    assert verdicts["embed.weight"] == "trains"
    assert watch.problems == ()


def test_parameters_that_come_later_and_wrapped_names() -> None:
    model = net()
    wrapped = nn.DataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with whygrad.watch(wrapped, every=1) as watch:
        train(wrapped, optimizer, 2)
        model.append(nn.Linear(4, 4))
        optimizer.add_param_group({"params": model[3].parameters(), "lr": 0.2})
        train(wrapped, optimizer, 2)
        late = rows_of(watch, 1)
        names = [row.fqn for row in watch.report().parameters]
    assert names == ["0.weight", "0.bias", "2.weight", "2.bias", "3.weight", "3.bias"]
    assert watch.tracks[1].names[-2:] == ("3.weight", "3.bias")
    assert watch.tracks[1].groups[-2:] == (1, 1)
    assert [row.step for row in late] == [3, 4]
    assert late[-1].lrs == (0.1, 0.2)


def test_a_new_optimizer_for_every_step_is_one_course() -> None:
    model = net()
    with whygrad.watch(model, every=1) as watch:
        for _ in range(12):
            train(model, torch.optim.Adam(model.parameters()), 1)
        rows = rows_of(watch)
    assert [row.step for row in rows] == list(range(1, 13))
    assert len(watch.tracks) == 1
    assert watch.steps == 12


def test_what_is_no_more_is_let_go_of() -> None:
    """Copies of a model, each with an optimizer for one step: nothing of them stays, and no more are measured than the cadence says."""
    gone = []
    with whygrad.watch(every=5) as watch:
        for _ in range(40):
            clone = net()
            gone.append(weakref.ref(clone[0].weight))
            train(clone, torch.optim.SGD(clone.parameters(), lr=0.1), 1)
        watch.flush()
        gc.collect()
        assert sum(ref() is not None for ref in gone) <= 2
        assert len(rows_of(watch)) == 8
    assert watch.steps == 40
    assert len(watch.tracks) <= 2


def test_there_is_an_end_to_the_optimizers_that_are_measured(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("whygrad.monitor.tracks.MOST", 3)
    models = [net() for _ in range(5)]
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.1) for m in models]
    with whygrad.watch(models, every=1) as watch:
        for _ in range(2):
            for model, optimizer in zip(models, optimizers, strict=True):
                train(model, optimizer, 1)
    assert len(watch.tracks) == 3
    assert watch.steps == 2
    assert capfd.readouterr().err.count("are not measured") == 1


def test_other_models_and_optimizers_are_none_of_its_business() -> None:
    model, other = net(), net()
    mine, theirs = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (model, other))
    with whygrad.watch(model, every=1) as watch:
        train(other, theirs, 3)
        assert watch.tracks == []
        train(model, mine, 3)
    assert [len(t.names) for t in watch.tracks] == [4]
    with whygrad.watch({"a": model, "b": other}, theirs, every=1) as watch:
        train(model, mine, 1)
        train(other, theirs, 1)
    assert [t.names[0] for t in watch.tracks] == ["b.0.weight"]


def test_a_training_that_is_resumed_goes_on_in_its_record(tmp_path: Path) -> None:
    """A plain loop, its checkpoint, and the same record a second time."""
    model = net()
    optimizer = torch.optim.Adam(model.parameters())
    with whygrad.watch(model, optimizer, every=1, record=tmp_path / "run") as watch:
        train(model, optimizer, 3, watch.step)
    torch.save((model.state_dict(), optimizer.state_dict()), tmp_path / "state.pt")
    again = net()
    other = torch.optim.Adam(again.parameters())
    states = torch.load(tmp_path / "state.pt", weights_only=True)
    again.load_state_dict(states[0])
    other.load_state_dict(states[1])
    with whygrad.watch(again, other, every=1, record=tmp_path / "run", first_step=3) as watch:
        train(again, other, 2, watch.step)
        rows = rows_of(watch)
    assert [row.step for row in rows] == [1, 2, 3, 4, 5]
    assert watch.steps == 5
    assert watch.report().steps == 5
    alone = net()
    train(alone, torch.optim.Adam(alone.parameters()), 5)
    assert all(torch.equal(a, b) for a, b in zip(alone.parameters(), again.parameters(), strict=True))


def test_steps_by_hand_are_seen_at_step() -> None:
    model = net()
    with whygrad.watch(model, every=1) as watch:
        for _ in range(3):
            model.zero_grad()
            loss = F.cross_entropy(model(X), Y)
            loss.backward()
            with torch.no_grad():
                for p in model.parameters():
                    p.sub_(0.1 * p.grad)
            watch.step(loss)
        rows = rows_of(watch)
    assert [(row.step, row.loss is not None) for row in rows] == [(2, True), (3, True)]
    assert all(row.norms[0] > 0 and row.details[0].ratio > 0 for row in rows)


@in_a_thread_of_its_own
def test_shards_of_distributed_tensors_are_measured_where_they_are() -> None:
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Shard, distribute_tensor

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        mesh = init_device_mesh("cpu", (1,))
        model = nn.Linear(4, 4, bias=False)
        model.weight = nn.Parameter(distribute_tensor(model.weight.detach(), mesh, [Shard(0)]))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with whygrad.watch(model, every=1) as watch:
            for _ in range(2):
                optimizer.zero_grad()
                model(distribute_tensor(torch.ones(2, 4), mesh, [Shard(0)])).sum().backward()
                assert isinstance(model.weight.grad, DTensor)
                norm = model.weight.grad.to_local().norm().item()
                optimizer.step()
            rows = rows_of(watch)
        assert rows[-1].norms[0] == pytest.approx(norm)
        assert rows[-1].details[0].ratio > 0
        assert watch.problems == ()
    finally:
        dist.destroy_process_group()


def test_modes_of_the_users_hear_nothing_of_it() -> None:
    heard: list[str] = []

    class Listening(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            heard.append(function.__name__)
            return function(*args, **(kwargs or {}))

    def loop(watched: bool) -> list[str]:
        heard.clear()
        model = net()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        if watched:
            with whygrad.watch(model, every=1), Listening():
                train(model, optimizer, 2)
        else:
            with Listening():
                train(model, optimizer, 2)
        return list(heard)

    assert loop(False) == loop(True)


# -- how often, and at what cost ---------------------------------------------------------------------------


def test_the_cadence_keeps_to_its_budget() -> None:
    cadence = Cadence()
    now, step = 0.0, 0
    for _ in range(12):
        now += cadence.every * 0.010 + 0.0006
        step += cadence.every
        cadence.measured(step, now, 0.0006)
    assert cadence.seconds == pytest.approx(0.010, rel=0.01)
    assert cadence.every == math.ceil(0.0006 / (BUDGET * 0.010))
    fixed = Cadence(7)
    fixed.measured(1, 0.0, 5.0)
    fixed.measured(2, 1.0, 5.0)
    assert fixed.every == 7


def test_unmeasured_steps_measure_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    count = []
    gradients = Part.gradients
    monkeypatch.setattr(
        Part, "gradients", lambda self, counting: count.append(1) or gradients(self, counting)
    )
    model = net()
    with whygrad.watch(model, every=4) as watch:
        train(model, torch.optim.SGD(model.parameters(), lr=0.1), 9, watch.step)
    assert len(count) == 3
    with whygrad.watch(model) as watch:
        train(model, torch.optim.SGD(model.parameters(), lr=0.1), 60, watch.step)
    assert watch.every > 10, "a step of this model takes a fraction of what measuring it costs"


def test_no_step_waits_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a GPU: every number is taken the way that one on a device takes, and nothing is asked for its value."""

    def on_a_device(self: Plan, name: str, value: Any) -> float | None:
        if not isinstance(value, torch.Tensor):
            return float(value)
        self.parts[0].scalar(name, value)
        return None

    monkeypatch.setattr(Plan, "scalar", on_a_device)
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4)).bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = X.bfloat16()

    def asked(use: Callable[[torch.Tensor], object]) -> set[str]:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            for _ in range(140):  # more than a ring of rows
                optimizer.zero_grad()
                loss = F.cross_entropy(model(x), Y)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                use(loss)
        waits = ("item", "scalar_dense", "nonzero", "equal", "masked_select", "unique", "synchronize")
        return {e.key for e in profile.events() if any(e.key.endswith(w) for w in waits)} - {
            "aten::count_nonzero"
        }

    with whygrad.watch(model, every=1, on_alarm=None) as watch:
        watch._hooks.spoilt.add(0)  # also the counting of what is not finite
        assert asked(watch.step) == set()
        assert len(rows_of(watch)) == 140
    assert watch.problems == ()
    assert asked(torch.Tensor.item) == {"aten::item", "aten::_local_scalar_dense"}


def test_memory_stays_within_its_bound() -> None:
    spec = importlib.util.spec_from_file_location("monitor_benchmark", ROOT / "benchmarks" / "monitor.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    layers = nn.ModuleList(nn.Linear(9, 9) for _ in range(150))
    many = module._made(layers, lambda: sum(p.sum() for p in layers.parameters()))
    for make in (module.mlp, lambda: many):
        parameters, held = module.memory(make)
        assert 0 < held <= parameters // 100 + 10 * 2**20


# -- fail-open ---------------------------------------------------------------------------------------------


def test_a_fault_is_said_once_and_the_training_goes_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(self: Part, counting: bool) -> None:
        raise RuntimeError("no such number")

    monkeypatch.setattr(Part, "gradients", broken)
    model, plain = net(), net()
    with whygrad.watch(model, every=1) as watch:
        losses = train(model, torch.optim.SGD(model.parameters(), lr=0.1), 8, watch.step)
    assert losses == train(plain, torch.optim.SGD(plain.parameters(), lr=0.1), 8)
    assert capfd.readouterr().err.count("no such number") == 1
    assert watch.steps == 8
    assert "no such number" in watch.problems[0]


def test_a_step_that_raises_is_the_trainings_own() -> None:
    model = net()
    optimizer = torch.optim.LBFGS(model.parameters())

    def closure() -> float:
        raise ValueError("mine")

    with whygrad.watch(model, every=1) as watch:
        for _ in range(4):
            with pytest.raises(ValueError, match="mine"):
                optimizer.step(closure)
        train(model, torch.optim.SGD(model.parameters(), lr=0.1), 2)
    assert (watch.steps, watch.problems) == (2, ())


def test_a_forked_child_is_not_watched() -> None:
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with whygrad.watch(model, every=1) as watch:
        train(model, optimizer, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            code = 1
            try:
                torch.set_num_threads(1)
                train(model, optimizer, 3)
                watch.flush()
                watch.close()
                code = 0 if watch.steps == 2 else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        train(model, optimizer, 1)
        assert [row.step for row in rows_of(watch)] == [1, 2, 3]


def test_only_the_first_rank_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    model = net()
    with whygrad.watch(model, every=1) as watch:
        train(model, torch.optim.SGD(model.parameters(), lr=0.1), 2, watch.step)
    assert (watch.active, watch.record, watch.steps, watch.alarms) == (False, None, 0, [])


def test_wrong_use_is_told() -> None:
    for given, says in (
        ({"every": 0}, "every is 0"),
        ({"on_alarm": "shout"}, "'shout'"),
        ({"on_alarm": {"no-such": "stop"}}, "no-such"),
        ({"optimizer": 3}, "without param_groups"),
    ):
        with pytest.raises(whygrad.UsageError, match=says):
            whygrad.watch(net(), **given)
    with pytest.raises(whygrad.UsageError, match="type int"):
        whygrad.watch([net(), 3])


# -- alarms ------------------------------------------------------------------------------------------------


def diverging(watch: whygrad.Watch, model: nn.Module, optimizer: Any, at: int = 5, steps: int = 8) -> int:
    done = 0
    for n in range(1, steps + 1):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(X), Y)
        (loss * (math.nan if n == at else 1.0)).backward()
        optimizer.step()
        done = n
        watch.flush()
    return done


def test_an_alarm_is_said_called_back_saved_and_stops(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = net()
    optimizer = torch.optim.Adam(model.parameters())
    heard: list[whygrad.Alarm] = []
    actions = ["warn", heard.append, "checkpoint", "stop"]
    watch = whygrad.watch(model, optimizer, every=1, on_alarm=actions, checkpoints=tmp_path)
    with pytest.raises(whygrad.TrainingStopped) as stopped, watch:
        diverging(watch, model, optimizer)
    (alarm,) = heard
    assert stopped.value.alarm == alarm
    assert (alarm.rule, alarm.step, alarm.since) == ("nonfinite-gradient", 5, 4)
    assert watch.closed
    assert capfd.readouterr().err.count("step 5: the gradient of all 4 parameters is NaN or infinite") == 1
    state = torch.load(tmp_path / "whygrad-step-5-nonfinite-gradient.pt", weights_only=True)
    assert state["step"] == 5
    net().load_state_dict(state["model"])
    report = whygrad.Report.__str__(
        __import__("whygrad.saved.reports", fromlist=["read"]).read(watch.record).report
    )
    assert "nonfinite-gradient" in report


def test_counts_follow_a_norm_that_is_not_finite() -> None:
    class Still(torch.optim.SGD):
        def step(self, closure: Any = None) -> None: ...

    model = net()
    optimizer = Still(model.parameters(), lr=0.1)
    with whygrad.watch(model, every=1, on_alarm=None) as watch:
        for n in range(6):
            optimizer.zero_grad()
            F.cross_entropy(model(X), Y).backward()
            if n > 2:
                model[2].weight.grad[0, :3] = math.inf
            optimizer.step()
            watch.flush()
        rows = rows_of(watch)
    assert [row.nonfinite for row in rows] == [{}, {}, {}, {}, {2: 3}, {2: 3}]


def test_actions_by_alarm_and_a_callback_that_raises(capfd: pytest.CaptureFixture[str]) -> None:
    model = net()
    optimizer = torch.optim.Adam(model.parameters())

    def angry(alarm: whygrad.Alarm) -> None:
        raise KeyError("mine")

    with whygrad.watch(model, every=1, on_alarm={"nonfinite-gradient": angry, "*": "stop"}) as watch:
        assert diverging(watch, model, optimizer) == 8
    err = capfd.readouterr().err
    assert err.count("what the alarm nonfinite-gradient asked for failed (KeyError: 'mine')") == 1
    assert "step 5:" not in err


def test_a_diagnosis_brings_the_line(capfd: pytest.CaptureFixture[str]) -> None:
    """From step 30 on the encoder is cut off; the monitor sees it stop, and the full observer says where."""

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.head, self.cut = nn.Linear(8, 8), nn.Linear(8, 4), False

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            h = self.encoder(x).tanh()
            if self.cut:
                h = h.detach()  # the line
            return self.head(h)

    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with whygrad.watch(model, every=1, on_alarm="diagnose") as watch:
        for n in range(110):
            model.cut = n >= 30
            train(model, optimizer, 1)
            if n % 5 == 0:
                watch.flush()
        assert not _get_current_function_mode_stack()
    assert [alarm.rule for alarm in watch.alarms] == ["parameter-stopped-training"]
    said = capfd.readouterr().err
    line = next(
        n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if text.endswith("# the line")
    )
    assert f"test_monitor.py:{line})" in said
    from whygrad.saved.reports import read

    rules = [finding.rule for finding in read(watch.record).report.findings]
    assert rules[0] == "detached-path"
    assert "parameter-stopped-training" in rules


def test_a_scaler_that_never_steps_is_heard() -> None:
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    with whygrad.watch(model, on_alarm=None) as watch:
        for _ in range(25):
            optimizer.zero_grad()
            (scaler.scale(F.cross_entropy(model(X), Y)) * math.inf).backward()
            scaler.step(optimizer)
            scaler.update()
        watch.flush()
    assert [alarm.rule for alarm in watch.alarms] == ["scaler-skips-steps"]
    assert watch.steps == 0


def test_half_precision_weights_that_do_not_move() -> None:
    model = net().bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    with whygrad.watch(model, every=1, on_alarm=None) as watch:
        for _ in range(25):
            optimizer.zero_grad()
            F.cross_entropy(model(X.bfloat16()).float(), Y).backward()
            optimizer.step()
    assert {alarm.rule for alarm in watch.alarms} == {"update-below-resolution"}


def test_units_that_die_are_seen_in_the_biases() -> None:
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with whygrad.watch(model, every=1, on_alarm=None) as watch:
        for n in range(70):
            if n == 20:
                with torch.no_grad():
                    model[0].bias[:14] -= 100.0
            train(model, optimizer, 1)
    assert [(alarm.rule, alarm.parameters) for alarm in watch.alarms] == [("dead-units", ("0.bias",))]
