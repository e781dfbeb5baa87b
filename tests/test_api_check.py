"""``whygrad.check`` and ``assert_trains``: the right answers, and everything as it was afterwards."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F
from torch import nn

import whygrad


class Cut(nn.Module):
    """The second of two layers sees a detached value."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x).detach())


def batch(rows: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(rows, 4, generator=generator), torch.arange(rows) % 2


def sgd(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=0.1)


def loud(report: whygrad.Report) -> list[str]:
    return [f.rule for f in report.loud()]


# -- what is changed and put back --------------------------------------------------------------------------


def with_batch_norm_and_dropout() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 2))


def tied() -> nn.Module:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b, self.out = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 2)
            self.b.weight = self.a.weight

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.out(self.b(self.a(x)))

    return Tied()


def parametrized() -> nn.Module:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    torch.nn.utils.parametrizations.spectral_norm(model[0])
    torch.nn.utils.parametrizations.weight_norm(model[2])
    return model


def bits(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.dtype, tuple(value.shape), value.detach().numpy().tobytes()
    if isinstance(value, dict):
        return {k: bits(v) for k, v in value.items()}
    return [bits(v) for v in value] if isinstance(value, (list, tuple)) else value


def state(model: nn.Module, *others: Any) -> Any:
    return (
        bits(dict(model.state_dict())),
        [
            (id(p), p.requires_grad, None if p.grad is None else (id(p.grad), bits(p.grad)))
            for p in model.parameters()
        ],
        [m.training for m in model.modules()],
        [bits(o.state_dict()) for o in others],
        bits(torch.get_rng_state()),
        random.getstate(),
    )


@pytest.mark.parametrize("make", [with_batch_norm_and_dropout, tied, parametrized])
@pytest.mark.parametrize("trained", [False, True], ids=["fresh", "trained"])
@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD])
def test_everything_is_as_it_was(make: Any, trained: bool, kind: Any) -> None:
    torch.manual_seed(0)
    model = make()
    optimizer = kind(model.parameters(), lr=0.1)
    x, y = batch()
    for _ in range(2 * trained):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    before = state(model, optimizer)
    report = whygrad.check(model, F.cross_entropy, (x, y), optimizer)
    assert state(model, optimizer) == before
    assert report.steps == 3, "it did train in between"
    assert optimizer.state == {} or trained


def test_a_step_of_ones_own_with_scaler_and_scheduler_is_put_back() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    scaler = torch.amp.GradScaler("cpu", growth_interval=1)
    x, y = batch()

    def step() -> None:
        optimizer.zero_grad()
        scaler.scale(F.cross_entropy(model(x), y)).backward()
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()

    step()
    before = state(model, optimizer, scheduler, scaler)
    report = whygrad.check(step)
    assert state(model, optimizer, scheduler, scaler) == before
    assert report.verdict == "trains"
    reference = copy.deepcopy(model), scaler.get_scale()
    step()  # and it goes on
    assert not torch.equal(reference[0][0].weight, model[0].weight)
    assert scaler.get_scale() == 2 * reference[1]


def test_it_is_put_back_when_the_model_raises() -> None:
    class Raises(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.calls = nn.Linear(4, 2), 0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls += 1
            if self.calls == 2:
                raise ValueError("my own error")
            return self.layer(x)

    model = Raises()
    before = state(model)
    with pytest.raises(ValueError, match="my own error"):
        whygrad.check(model, F.cross_entropy, batch())
    assert state(model) == before


def test_a_graph_from_before_can_still_be_back_propagated() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    x, y = batch()
    loss = F.cross_entropy(model(x), y)
    (expected,) = torch.autograd.grad(loss, model[0].weight, retain_graph=True)
    whygrad.check(model, F.cross_entropy, (x, y))
    loss.backward()
    assert torch.equal(model[0].weight.grad, expected)


class Stateful(nn.Module):
    """Changes more than what it has registered."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.out = [nn.BatchNorm1d(4)], nn.Linear(4, 2)
        self.average, self.calls, self.last = torch.zeros(4), 0, None
        self.register_buffer("mask", torch.ones(1, 2).expand(8, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls, self.last, self.made = self.calls + 1, x, True
        self.average.add_(x.detach().mean(0))
        return self.out(self.hidden[0](x)) * self.mask


def test_what_is_not_registered_is_put_back_too() -> None:
    model = Stateful()
    norm = model.hidden[0]
    before = state(model), state(norm), bits(model.average)
    whygrad.check(model, F.cross_entropy, batch())
    assert (state(model), state(norm), bits(model.average)) == before
    assert (model.calls, model.last, hasattr(model, "made")) == (0, None, False)


@pytest.mark.parametrize("own_step", [False, True], ids=["model", "step"])
def test_gradients_that_are_there_are_kept_and_play_no_part(own_step: bool) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = batch()
    F.cross_entropy(model(x), y).backward()
    before = state(model, optimizer)

    def step() -> None:
        optimizer.zero_grad(set_to_none=False)  # writes zeros into the gradients that are there
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

    given = (step,) if own_step else (model, F.cross_entropy, (x, y), optimizer)
    assert whygrad.check(*given).verdict == "trains"
    assert state(model, optimizer) == before


def test_parameters_are_copied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from whygrad.api.holding import Held

    model = nn.Linear(100, 100)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    copies = []
    clone = torch.Tensor.clone
    monkeypatch.setattr(torch.Tensor, "clone", lambda x, **kw: copies.append(x.shape) or clone(x, **kw))
    Held([model, optimizer])
    assert sorted(copies) == [(100,), (100, 100)]


# -- what it says ----------------------------------------------------------------------------------------


def test_a_healthy_model_trains() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    report = whygrad.check(model, F.cross_entropy, batch())
    assert report.verdict == "trains", str(report)
    assert {p.verdict for p in report.parameters} == {"trains"}
    whygrad.assert_trains(model, F.cross_entropy, batch())


def test_a_cut_is_named_with_its_line() -> None:
    report = whygrad.check(Cut(), F.cross_entropy, batch())
    assert loud(report) == ["detached-path"]
    assert report.findings[0].parameters == ("first.weight", "first.bias")
    assert ".detach()" in report.findings[0].causes[0].code
    with pytest.raises(AssertionError, match=r"first\.weight"):
        whygrad.assert_trains(Cut(), F.cross_entropy, batch())


def test_the_usual_assertion_passes_on_a_model_that_does_not_train() -> None:
    model = Cut()
    x, y = batch()
    F.cross_entropy(model(x), y).backward()
    assert any(p.grad is not None for p in model.parameters())
    with pytest.raises(AssertionError):
        whygrad.assert_trains(model, F.cross_entropy, (x, y))


def test_dicts_and_outputs_with_a_loss() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 2)

        def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            out = self.layer(x)
            return {"loss": F.cross_entropy(out, labels), "logits": out}

    x, y = batch()
    assert whygrad.check(Model(), batch={"x": x, "labels": y}).verdict == "trains"
    given = {"x": x, "labels": y}
    report = whygrad.check(Model(), lambda out, b: F.cross_entropy(out["logits"], b["labels"]), given)
    assert report.verdict == "trains"


def test_samples_that_are_mixed_are_told() -> None:
    class Swapped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn, self.out = nn.GRU(3, 6), nn.Linear(6, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.out(self.rnn(x)[0][:, -1])

    x, y = torch.randn(8, 5, 3), torch.arange(8) % 2
    found = {f.rule: f for f in whygrad.check(Swapped(), F.cross_entropy, (x, y)).findings}
    assert found["rnn-batch-first"].severity == "error"  # which explains the other
    assert "rnn" in found["samples-mixed"].title
    assert found["samples-mixed"].causes[0].function == "Swapped.forward"


@pytest.mark.parametrize("norm", [nn.BatchNorm1d(8), nn.LayerNorm(8), nn.Identity()])
def test_samples_that_are_kept_apart_are_not_called_mixed(norm: nn.Module) -> None:
    model = nn.Sequential(nn.Linear(4, 8), norm, nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 2))
    assert loud(whygrad.check(model, F.cross_entropy, batch())) == []


def test_a_first_loss_far_off_is_told_and_an_ordinary_one_is_not() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    x, y = batch()
    assert "loss-starts-far-off" in loud(whygrad.check(model, F.cross_entropy, (1000 * x, y)))
    assert loud(whygrad.check(model, F.cross_entropy, (x, y))) == []


class Square(torch.autograd.Function):
    """With half the gradient that it should have."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g * ctx.saved_tensors[0]


class RightSquare(Square):
    """With the right one."""

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return 2 * g * ctx.saved_tensors[0]


@pytest.mark.parametrize(("function", "rules"), [(Square, ["gradcheck-failed"]), (RightSquare, [])])
def test_gradcheck_of_custom_functions(function: Any, rules: list[str]) -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.b(function.apply(self.a(x)))

    assert loud(whygrad.check(Model(), F.cross_entropy, batch(), gradcheck=True)) == rules
    assert loud(whygrad.check(Model(), F.cross_entropy, batch())) == []


def test_whether_a_batch_can_be_learned_by_heart() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
    x, y = batch()
    able = whygrad.check(model, F.cross_entropy, (x, y), overfit=200)
    assert able.overfit is not None
    assert able.overfit.outcome == "memorised"
    unable = whygrad.check(model, F.cross_entropy, (torch.ones_like(x), y), overfit=100)
    assert "cannot-overfit" in loud(unable)


def test_gradcheck_of_the_functions_in_a_step_of_ones_own() -> None:
    layer = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=1e-3)
    x, _ = batch()

    def step() -> None:
        optimizer.zero_grad()
        Square.apply(layer(x)).mean().backward()
        optimizer.step()

    assert loud(whygrad.check(step, gradcheck=True)) == ["gradcheck-failed"]
    with pytest.raises(AssertionError, match="Square"):
        whygrad.assert_trains(step, gradcheck=True)


def test_gradcheck_where_a_copy_in_double_precision_can_not_run() -> None:
    class Single(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.b(Square.apply(self.a(x)) @ torch.eye(8))

    assert loud(whygrad.check(Single(), F.cross_entropy, batch(), gradcheck=True)) == ["gradcheck-failed"]


def test_a_model_that_can_not_run_in_evaluation_mode_trains() -> None:
    class Training(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if not self.training:
                raise ValueError("for training only")
            return super().forward(x)

    assert loud(whygrad.check(Training(4, 2), F.cross_entropy, batch())) == []


def test_an_optimizer_with_a_closure() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.LBFGS(model.parameters())
    before = state(model, optimizer)
    assert whygrad.check(model, F.cross_entropy, batch(), optimizer).verdict == "trains"
    assert state(model, optimizer) == before


def test_sparse_gradients_without_an_optimizer() -> None:
    class Words(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.out = nn.Embedding(10, 4, sparse=True), nn.Linear(4, 2)

        def forward(self, i: torch.Tensor) -> torch.Tensor:
            return self.out(self.words(i).mean(1))

    i = torch.arange(24).reshape(8, 3) % 10
    assert whygrad.check(Words(), F.cross_entropy, (i, batch()[1])).verdict == "trains"


def test_a_loss_with_parameters_of_its_own() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(()))

        def forward(self, out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return F.cross_entropy(self.scale * out, y)

    report = whygrad.check(nn.Linear(4, 2), Scaled(), batch())
    assert report.verdict == "trains"
    assert len(report.parameters) == 3


def test_an_optimizer_of_another_model_is_an_error() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    other = torch.optim.SGD(copy.deepcopy(model).parameters(), lr=0.1)
    report = whygrad.check(model, F.cross_entropy, batch(), other)
    assert loud(report) == ["parameter-not-in-optimizer"]
    assert len(report.findings[0].parameters) == 4


def test_a_layer_that_is_never_used_is_a_warning_of_a_check() -> None:
    class Forgotten(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Linear(4, 2), nn.Linear(4, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.used(x)

    model = Forgotten()
    report = whygrad.check(model, F.cross_entropy, batch())
    assert report.verdict == "suspect"
    assert loud(report) == ["unused-parameter"]
    whygrad.assert_trains(model, F.cross_entropy, batch())
    with pytest.raises(AssertionError, match=r"unused\.weight"):
        whygrad.assert_trains(model, F.cross_entropy, batch(), fail_on="warning")


# -- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: whygrad.check(m, F.cross_entropy), "no batch"),
        (lambda m: whygrad.check(m, F.cross_entropy, batch(), steps=1), "at least 2"),
        (lambda m: whygrad.check(3), "not int"),
        (lambda m: whygrad.check(lambda b: None), "takes arguments"),
        (lambda m: whygrad.check(lambda: None, batch=batch()), "check\\(step\\)"),
        (lambda m: whygrad.check(m, lambda out, y: out, batch()), "shape"),
        (lambda m: whygrad.check(m.requires_grad_(False), F.cross_entropy, batch()), "requires_grad_"),
        (
            lambda m: whygrad.check(m.requires_grad_(False), F.cross_entropy, batch(), sgd(m)),
            "requires_grad_",
        ),
        (lambda m: whygrad.check(nn.LazyLinear(2), F.cross_entropy, batch()), "lazy"),
        (lambda m: whygrad.check(m, F.cross_entropy, iter([batch()])), "next\\(iter"),
    ],
)
def test_what_is_wrong_with_the_call_is_said(call: Any, words: str) -> None:
    with pytest.raises(whygrad.UsageError, match=words):
        call(nn.Linear(4, 2))


def test_a_step_that_trains_nothing_fails_the_assertion() -> None:
    with pytest.raises(AssertionError, match="INCOMPLETE"):
        whygrad.assert_trains(lambda: None)
