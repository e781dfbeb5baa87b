"""Each alarm of the monitor in a real training: it comes once, at the step and for the parameters that it should; and in a
training that looks much the same and is healthy it does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import whygrad
from whygrad.monitor.history import checks

#: A training: the model, and its steps one after the other, each giving its loss.
Made = tuple[nn.Module, Iterator[torch.Tensor | None]]
Training = Callable[[bool], Made]
GUESS = math.log(4)


def samples(count: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(count, 8)
    return x, (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()


def net(width: int = 32) -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 4))


def stepped(optimizer: Any, loss: torch.Tensor, clip: float | None = None) -> torch.Tensor:
    optimizer.zero_grad()
    loss.backward()
    if clip is not None:
        nn.utils.clip_grad_norm_([p for g in optimizer.param_groups for p in g["params"]], clip)
    optimizer.step()
    return loss


def nonfinite_gradient(healthy: bool) -> Made:
    """The root of a distance that is 0 in the 40th batch; healthy: an epsilon below the root."""
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def steps() -> Iterator[torch.Tensor]:
        for n in range(1, 80):
            x, _ = samples()
            a, b = model(x), model(x if n == 40 else x + 0.1)
            yield stepped(optimizer, ((a - b).pow(2).sum(1) + (1e-8 if healthy else 0.0)).sqrt().mean())

    return model, steps()


def parameter_stopped_training(healthy: bool) -> Made:
    """From the 61st step on the first layer is cut off; healthy: it is frozen."""
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def steps() -> Iterator[torch.Tensor]:
        for n in range(1, 160):
            x, y = samples()
            if n > 60 and healthy:
                model[0].requires_grad_(False)
            h = model[0](x)
            yield stepped(optimizer, F.cross_entropy(model[2](model[1](h.detach() if n > 60 else h)), y))

    return model, steps()


def gradient_norm_spike(healthy: bool) -> Made:
    """One broken batch, the 80th; healthy: it is clipped."""
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

    def steps() -> Iterator[torch.Tensor]:
        for n in range(1, 100):
            x, _ = samples()
            yield stepped(
                optimizer,
                F.mse_loss(model(x * (1000.0 if n == 80 else 1.0)), x[:, :4]),
                clip=5.0 if healthy else None,
            )

    return model, steps()


def gradient_vanishes_with_depth(healthy: bool) -> Made:
    """Twelve layers with a sigmoid; healthy: each is added to what it gets."""
    layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(12))
    model = nn.ModuleDict({"stem": nn.Linear(8, 16), "layers": layers, "head": nn.Linear(16, 4)})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def steps() -> Iterator[torch.Tensor]:
        for _ in range(120):
            x, y = samples()
            h = model["stem"](x)
            for layer in layers:
                h = layer(h).sigmoid() + (h if healthy else 0.0)
            yield stepped(optimizer, F.cross_entropy(model["head"](h), y))

    return model, steps()


def dead_units(healthy: bool) -> Made:
    """A learning rate at which units die one after the other; healthy: one that is still large."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(8, 64),
        nn.ReLU(),
        nn.Linear(64, 64),
        nn.ReLU(),
        nn.Linear(64, 64),
        nn.LeakyReLU(),
        nn.Linear(64, 4),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01 if healthy else 0.1)

    def steps() -> Iterator[torch.Tensor]:
        for _ in range(300):
            x, y = samples()
            yield stepped(optimizer, F.cross_entropy(model(x), y), clip=1.0)

    return model, steps()


def learning_rate_collapses(healthy: bool) -> Made:
    """A decay meant for epochs is called every step; healthy: a cosine that ends at 0."""
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule: Any = (
        torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 250)
        if healthy
        else torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    )

    def steps() -> Iterator[torch.Tensor]:
        for _ in range(250):
            x, y = samples()
            yield stepped(optimizer, F.cross_entropy(model(x), y))
            schedule.step()

    return model, steps()


def scaler_skips_steps(healthy: bool) -> Made:
    """A gradient that is NaN at every scale; healthy: a scale that is far too large at first."""
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**126 if healthy else 2.0**16, growth_interval=40)

    def steps() -> Iterator[torch.Tensor]:
        for _ in range(120):
            x, y = samples()
            loss = F.cross_entropy(model(x), y) * 100.0
            optimizer.zero_grad()
            scaler.scale(loss if healthy else loss + (model(x) - model(x)).pow(2).sum().sqrt()).backward()
            scaler.step(optimizer)
            scaler.update()
            yield loss

    return model, steps()


def no_better_than_guess(healthy: bool) -> Made:
    """Labels that have nothing to do with the samples."""
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def steps() -> Iterator[torch.Tensor]:
        for _ in range(300):
            x, y = samples()
            yield stepped(optimizer, F.cross_entropy(model(x), y if healthy else y[torch.randperm(len(y))]))

    return model, steps()


def update_below_resolution(healthy: bool) -> Made:
    """Weights in bfloat16 and a rate that is too small for them; healthy: one at which they move."""
    model = net().bfloat16()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2 if healthy else 1e-6)

    def steps() -> Iterator[torch.Tensor]:
        for _ in range(60):
            x, y = samples()
            yield stepped(optimizer, F.cross_entropy(model(x.bfloat16()).float(), y))

    return model, steps()


#: Between which steps it is to come, and a parameter that it is to name.
EXPECTED: dict[Training, tuple[int, int, str]] = {
    nonfinite_gradient: (40, 40, "0.weight"),
    parameter_stopped_training: (110, 120, "0.weight"),
    gradient_norm_spike: (80, 80, ""),
    gradient_vanishes_with_depth: (50, 75, "stem.weight"),
    dead_units: (32, 300, ".bias"),
    learning_rate_collapses: (100, 160, ""),
    scaler_skips_steps: (0, 0, ""),
    no_better_than_guess: (200, 202, ""),
    update_below_resolution: (20, 22, "0.weight"),
}


def slug(training: Training) -> str:
    return training.__name__.replace("_", "-")


def watched(training: Training, healthy: bool) -> whygrad.Watch:
    torch.manual_seed(0)
    model, steps = training(healthy)
    with whygrad.watch(model, every=1, record=False, on_alarm=None, guess=GUESS) as watch:
        for loss in steps:
            watch.step(loss)
    assert watch.problems == ()
    return watch


def test_the_trainings_are_named_after_alarms() -> None:
    assert {slug(training) for training in EXPECTED} <= set(checks())


@pytest.mark.parametrize("training", EXPECTED, ids=slug)
def test_the_alarm_comes_once_with_step_parameter_and_advice(training: Training) -> None:
    first, last, name = EXPECTED[training]
    (alarm,) = [a for a in watched(training, healthy=False).alarms if a.rule == slug(training)]
    assert first <= alarm.step <= last
    assert any(p.endswith(name) for p in alarm.parameters or ("",)), alarm.parameters
    assert alarm.fix.endswith(".")
    assert alarm.evidence
    assert f"step {alarm.step}: {alarm.title}" in alarm.sentence()


@pytest.mark.parametrize("training", EXPECTED, ids=slug)
def test_the_healthy_twin_is_quiet(training: Training) -> None:
    assert watched(training, healthy=True).alarms == []
