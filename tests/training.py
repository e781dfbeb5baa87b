"""A training that uses as much of what the observer watches as goes into a few lines."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 3 * ctx.saved_tensors[0] ** 2


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1))
        self.norm = nn.BatchNorm1d(8)
        self.head = nn.Linear(8, 2)
        self.extra = [nn.Parameter(torch.ones(2))]
        self.register_buffer("scale", torch.tensor(1.5))
        nn.init.xavier_uniform_(self.head.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.norm(self.body(x).detach() * 0.1 + self.body(x))
        h[:, 0] = 0.5
        return self.head(Cube.apply(h)) * self.extra[0] * self.scale


def train(steps: int = 1) -> dict[str, bytes]:
    """Train, and return all that came of it, as bytes."""
    torch.manual_seed(0)
    model, other = Net(), nn.Linear(4, 1)
    model.requires_grad = True
    other.bias.requires_grad_(False)
    optimizer = torch.optim.AdamW([*model.parameters(), *model.extra], lr=0.01)
    second = torch.optim.LBFGS(other.parameters(), max_iter=2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
    losses = []
    array = np.linspace(-1, 1, 32).reshape(8, 4).astype(np.float32)
    for _ in range(steps):
        x = torch.from_numpy(array) + torch.randn(8, 4)
        y = torch.tensor([int(v > 0) for v in x[:, 0].tolist()])
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()

        def closure(x: torch.Tensor = x) -> torch.Tensor:
            second.zero_grad()
            value: torch.Tensor = (other(x) - x.sum(1, keepdim=True)).square().mean()
            value.backward()
            return value

        losses.append(loss.item() + float(second.step(closure)))
        with torch.no_grad():
            model.head.bias.mul_(0.99)
        with torch.inference_mode():
            losses.append(model.eval()(x).sum().item())
        model.train().zero_grad()
        extra = torch.autograd.grad(other(x).sum(), other.weight)[0]
        other.weight.grad = extra * 0.5
        try:
            model(x[:, :3])
        except RuntimeError:
            losses.append(0.0)
    thread = threading.Thread(target=lambda: losses.append(model(x).sum().item()))
    thread.start()
    thread.join()
    tensors = {**model.state_dict(), **{f"other.{n}": p for n, p in other.state_dict().items()}}
    found = {name: tensor.detach().numpy().tobytes() for name, tensor in tensors.items()}
    return found | {"losses": repr(losses).encode(), "random": torch.get_rng_state().numpy().tobytes()}
