"""Trainings of many kinds in which nothing is wrong: the monitor says nothing, and what they compute is what they compute alone."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import whygrad

#: The models, and the n-th step, which gives its loss.
Made = tuple[Any, Callable[[int], Any]]


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


X, Y = torch.randn(32, 8, generator=torch.Generator().manual_seed(1)), torch.arange(32) % 4


def samples(count: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(count, 8)
    return x, (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()


def stepped(optimizer: Any, loss: torch.Tensor) -> torch.Tensor:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def transformer() -> Made:
    """Warm-up and cosine to 0, clipping, dropout."""
    model = nn.Sequential(
        nn.Embedding(30, 16),
        nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2, enable_nested_tensor=False
        ),
        nn.Linear(16, 30),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda n: min(n / 20, 0.5 * (1 + math.cos(math.pi * n / 200)))
    )

    def step(n: int) -> torch.Tensor:
        tokens = torch.randint(0, 30, (8, 10))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        return loss

    return model, step


def gan() -> Made:
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    for_g, for_d = (torch.optim.Adam(m.parameters(), lr=1e-3, betas=(0.5, 0.9)) for m in (generator, critic))

    def step(n: int) -> torch.Tensor:
        real, noise = torch.randn(32, 2) + 2, torch.randn(32, 4)
        for_d.zero_grad()
        d_loss = F.softplus(-critic(real)).mean() + F.softplus(critic(generator(noise).detach())).mean()
        d_loss.backward()
        for_d.step()
        if n % 2 == 0:
            for_g.zero_grad()
            F.softplus(-critic(generator(noise))).mean().backward()
            for_g.step()
        return d_loss

    return {"generator": generator, "critic": critic}, step


def experts() -> Made:
    """Eight experts of which a batch uses two, and two are never used."""
    experts = nn.ModuleList(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)) for _ in range(8))
    optimizer = torch.optim.Adam(experts.parameters(), lr=1e-3)

    def step(n: int) -> torch.Tensor:
        optimizer.zero_grad(set_to_none=n % 2 == 0)
        used = [0, *torch.randperm(5)[:1].add(1).tolist()]
        loss = sum(F.cross_entropy(experts[i](X + 0.1 * torch.randn_like(X)), Y) for i in used)
        loss.backward()
        optimizer.step()
        return loss

    return experts, step


def fine_tuning() -> Made:
    """LoRA (whose B begins at 0) on a frozen base; the head is frozen half-way, the norm unfrozen."""

    class Lora(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.base = nn.Linear(8, 8).requires_grad_(False)
            self.a, self.b = nn.Parameter(torch.randn(8, 2)), nn.Parameter(torch.zeros(2, 8))
            self.norm, self.head = nn.LayerNorm(8).requires_grad_(False), nn.Linear(8, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.norm(self.base(x) + x @ self.a @ self.b))

    model = Lora()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def step(n: int) -> torch.Tensor:
        model.head.requires_grad_(n < 80)
        model.norm.requires_grad_(n >= 80)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(X), Y)
        loss.backward()
        optimizer.step()
        return loss

    return model, step


def half() -> Made:
    """bfloat16 weights at a rate at which they move; a linear decay to 0."""
    model = net().bfloat16()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, 200)

    def step(n: int) -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(X.bfloat16()).float(), Y)
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss

    return model, step


def convnet() -> Made:
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, 2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(64, 4),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)

    def step(n: int) -> torch.Tensor:
        y = torch.randint(0, 4, (16,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(torch.randn(16, 1, 8, 8) + y.view(-1, 1, 1, 1)), y)
        loss.backward()
        optimizer.step()
        return loss

    return model, step


def scaler_warm_up() -> Made:
    """A scale that is far too large at first, and grows until it is again; clipping in between."""
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**126, growth_interval=50)

    def step(n: int) -> torch.Tensor:
        x, y = samples()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y) * 100
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        return loss

    return model, step


def warm_restarts() -> Made:
    """A warm-up that begins at next to nothing, and a cosine that begins anew."""
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    rates = torch.optim.lr_scheduler
    parts: list[Any] = [
        rates.LinearLR(optimizer, 1e-8, 1.0, 60),
        rates.CosineAnnealingWarmRestarts(optimizer, 70),
    ]
    schedule = rates.SequentialLR(optimizer, parts, [60])

    def step(n: int) -> torch.Tensor:
        x, y = samples()
        loss = stepped(optimizer, F.cross_entropy(model(x), y))
        schedule.step()
        return loss

    return model, step


def clipped_critic() -> Made:
    """A Wasserstein GAN: most units of its small critic are switched off by clipping its weights."""
    maker = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
    critic = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
    for_maker, for_critic = (torch.optim.RMSprop(m.parameters(), lr=5e-4) for m in (maker, critic))

    def step(n: int) -> torch.Tensor:
        for _ in range(3):
            made = critic(maker(torch.randn(32, 4)).detach()).mean()
            stepped(for_critic, made - critic(torch.randn(32, 2) + 2).mean())
            with torch.no_grad():
                for p in critic.parameters():
                    p.clamp_(-0.05, 0.05)
        return stepped(for_maker, -critic(maker(torch.randn(32, 4))).mean())

    return {"maker": maker, "critic": critic}, step


def frozen_backbone() -> Made:
    """In the optimizer from the beginning, thawed half-way."""
    model = nn.ModuleDict({"backbone": net().requires_grad_(False), "head": nn.Linear(4, 4)})
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step(n: int) -> torch.Tensor:
        model["backbone"].requires_grad_(n > 120)
        x, y = samples()
        return stepped(optimizer, F.cross_entropy(model["head"](model["backbone"](x)), y))

    return model, step


def sparse_embedding() -> Made:
    """Of 5,000 rows a step sees 64."""
    model = nn.ModuleDict({"words": nn.Embedding(5000, 16, sparse=True), "head": nn.Linear(16, 4)})
    rows = torch.optim.SparseAdam(model["words"].parameters(), lr=1e-2)
    dense = torch.optim.Adam(model["head"].parameters(), lr=1e-2)

    def step(n: int) -> torch.Tensor:
        words = torch.randint(0, 5000, (64,))
        rows.zero_grad()
        loss = stepped(dense, F.cross_entropy(model["head"](model["words"](words)), words % 4))
        rows.step()
        return loss

    return model, step


def second_order() -> Made:
    """L-BFGS, which arrives after ten steps, and then writes nothing any more."""
    model = net()
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, line_search_fn="strong_wolfe")
    x, y = samples()

    def step(n: int) -> Any:
        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss

        return optimizer.step(closure)  # type: ignore[arg-type]

    return model, step


def accumulated() -> Made:
    """Four batches a step, computed in bfloat16."""
    model = net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step(n: int) -> Any:
        optimizer.zero_grad()
        total: Any = 0.0
        for _ in range(4):
            x, y = samples(8)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(x), y) / 4
            loss.backward()
            total = total + loss.detach()
        optimizer.step()
        return total

    return model, step


def routed_experts() -> Made:
    """A router that sends each sample to two of eight experts."""
    router, head = nn.Linear(8, 8), nn.Linear(8, 4)
    experts = nn.ModuleList(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8)) for _ in range(8))
    model = nn.ModuleDict({"router": router, "experts": experts, "head": head})
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    def step(n: int) -> torch.Tensor:
        x, y = samples(6)
        shares, chosen = router(x).softmax(-1).topk(2)
        out = torch.zeros_like(x)
        for k, expert in enumerate(experts):
            who, rank = (chosen == k).nonzero(as_tuple=True)
            if len(who):
                out = out.index_add(0, who, expert(x[who]) * shares[who, rank, None])
        return stepped(optimizer, F.cross_entropy(head(out), y))

    return model, step


def policy_gradient() -> Made:
    """Rewards are rare: in most steps every gradient is exactly 0."""
    model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 16))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    def step(n: int) -> torch.Tensor:
        policy = torch.distributions.Categorical(logits=model(torch.randn(4, 4)))
        action = policy.sample()
        return stepped(optimizer, -(policy.log_prob(action) * (action == 3)).mean())

    return model, step


def margin() -> Made:
    """A loss that comes to exactly 0, and stays there."""
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    x, y = samples(16)
    return model, lambda n: stepped(optimizer, F.multi_margin_loss(model(x), y))


def moving_target() -> Made:
    """BYOL: the target is a moving average and gets no gradient."""
    online, predictor = net(), nn.Linear(4, 4)
    target = copy.deepcopy(online).requires_grad_(False)
    optimizer = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=1e-3)

    def step(n: int) -> torch.Tensor:
        x, _ = samples()
        guess = predictor(online(x + 0.1 * torch.randn_like(x)))
        loss = stepped(optimizer, -F.cosine_similarity(guess, target(x)).mean())
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), online.parameters(), strict=True):
                slow.lerp_(fast, 0.01)
        return loss

    return nn.ModuleList([online, predictor, target]), step


def recurrent() -> Made:
    """An LSTM over 30 steps, clipped."""
    model = nn.ModuleDict({"lstm": nn.LSTM(4, 24, batch_first=True), "head": nn.Linear(24, 2)})
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    def step(n: int) -> torch.Tensor:
        x = torch.randn(16, 30, 4)
        optimizer.zero_grad()
        loss = F.cross_entropy(model["head"](model["lstm"](x)[0][:, -1]), (x[:, -1, 0] > 0).long())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    return model, step


TRAININGS: list[Callable[[], Made]] = [
    transformer,
    gan,
    experts,
    fine_tuning,
    half,
    convnet,
    scaler_warm_up,
    warm_restarts,
    clipped_critic,
    frozen_backbone,
    sparse_embedding,
    second_order,
    accumulated,
    routed_experts,
    policy_gradient,
    margin,
    moving_target,
    recurrent,
]


@pytest.mark.parametrize("make", TRAININGS, ids=lambda make: make.__name__)
def test_a_healthy_training_raises_no_alarm_and_is_bit_identical(make: Callable[[], Made]) -> None:
    def run(watching: bool) -> tuple[list[float], torch.Tensor]:
        torch.manual_seed(0)
        model, step = make()
        if not watching:
            return [step(n).item() for n in range(30)], torch.get_rng_state()
        losses, state = [], torch.get_rng_state()
        with whygrad.watch(model, every=1) as watch:
            for n in range(240):
                losses.append((loss := step(n)).item())
                watch.step(loss)
                if n == 29:
                    state = torch.get_rng_state()
        assert (watch.alarms, watch.problems) == ([], ())
        return losses[:30], state

    (losses, state), (alone, alone_state) = run(True), run(False)
    assert losses == alone
    assert torch.equal(state, alone_state)
