"""The softmax regression that whygrad began with: two ways to fill its matrix that are harmless, three that break it.

Each is asked all four questions: check, inspect, explain, assert_trains.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
import torch.nn.functional as F
from torch import nn

import whygrad


class Softmax(nn.Module):
    """Ten features, three classes."""

    def __init__(self, fill: Callable[[nn.Linear], None]) -> None:
        super().__init__()
        self.linear = nn.Linear(10, 3)
        fill(self.linear)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


class Detached(Softmax):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.linear.weight.detach(), self.linear.bias)


def with_detach(layer: nn.Linear) -> None:
    layer.weight.detach().zero_()


def with_no_grad(layer: nn.Linear) -> None:
    with torch.no_grad():
        layer.weight.zero_()


def frozen(layer: nn.Linear) -> None:
    with_no_grad(layer)
    layer.weight.requires_grad = False


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(30, 10, generator=generator)
    return x, x[:, :3].argmax(1)


def sgd(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=0.1)


def usual_assertion(model: nn.Module) -> bool:
    x, y = batch()
    F.cross_entropy(model(x), y).backward()
    passes = any(w.grad is not None for w in model.parameters())
    model.zero_grad()
    return passes


@pytest.mark.parametrize("fill", [with_detach, with_no_grad])
def test_filling_the_matrix_in_the_constructor_is_harmless(fill: Callable[[nn.Linear], None]) -> None:
    model = Softmax(fill)
    optimizer = sgd(model)
    x, y = batch()
    report = whygrad.check(model, F.cross_entropy, (x, y), optimizer)
    assert report.verdict == "trains", str(report)
    assert {p.fqn: p.verdict for p in report.parameters} == {
        "linear.weight": "trains",
        "linear.bias": "trains",
    }
    assert not whygrad.inspect(model, optimizer).problems
    path = whygrad.explain(F.cross_entropy(model(x), y), model.linear.weight, optimizer)
    assert path.reached
    assert path.update is not None
    assert path.update.norm > 0
    whygrad.assert_trains(model, F.cross_entropy, (x, y), optimizer)


def broken() -> list[object]:
    def detached() -> tuple[nn.Module, torch.optim.Optimizer]:
        model = Detached(with_no_grad)
        return model, sgd(model)

    def frozen_weight() -> tuple[nn.Module, torch.optim.Optimizer]:
        model = Softmax(frozen)
        return model, sgd(model)

    def replaced() -> tuple[nn.Module, torch.optim.Optimizer]:
        model = Softmax(with_no_grad)
        optimizer = sgd(model)
        model.linear.weight = nn.Parameter(torch.zeros(3, 10))
        return model, optimizer

    return [
        pytest.param(detached, "detached-path", [], False, id="detached in forward"),
        pytest.param(
            replaced,
            "parameter-not-in-optimizer",
            ["parameter-not-in-optimizer", "optimizer-holds-stale-parameter"],
            True,
            id="replaced after the optimizer",
        ),
        pytest.param(frozen_weight, "", ["frozen-in-optimizer"], False, id="frozen"),
    ]


@pytest.mark.parametrize(("make", "rule", "at_set_up", "reached"), broken())
def test_what_truly_breaks_it_is_told(
    make: Callable[[], tuple[nn.Module, torch.optim.Optimizer]],
    rule: str,
    at_set_up: list[str],
    reached: bool,
) -> None:
    model, optimizer = make()
    x, y = batch()
    assert usual_assertion(model), "the bias alone satisfies it"
    report = whygrad.check(model, F.cross_entropy, (x, y), optimizer)
    weight = {p.fqn: p.verdict for p in report.parameters}["linear.weight"]
    assert weight != "trains"
    assert [p.rule for p in whygrad.inspect(model, optimizer).problems] == at_set_up
    path = whygrad.explain(F.cross_entropy(model(x), y), model.linear.weight, optimizer)
    assert path.reached is reached
    if reached:
        assert path.update is not None
        assert not path.update.held
    if not rule:
        assert weight == "frozen"
        assert "frozen" in path.reason
        return
    assert rule in [f.rule for f in report.loud()], str(report)
    with pytest.raises(AssertionError, match=r"linear\.weight"):
        whygrad.assert_trains(model, F.cross_entropy, (x, y), optimizer)
