"""Experts come as a list from a factory function; router and norm are registered."""

import torch
from torch import nn

torch.manual_seed(0)


def make_experts(n, dim):
    return [nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)) for _ in range(n)]


class MoE(nn.Module):
    def __init__(self, dim=8, n=3):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.router = nn.Linear(dim, n)
        self.experts = make_experts(n, dim)  # <- cause

    def forward(self, x):
        x = self.norm(x)
        gate = self.router(x).softmax(-1)
        mixed = torch.stack([e(x) for e in self.experts], dim=-1)
        return (mixed * gate.unsqueeze(1)).sum(-1)


class Trainer:
    def __init__(self, model, lr):
        self.model, self.loss_fn = model, nn.MSELoss()
        self.optim = torch.optim.Adam(self.model.parameters(), lr=lr)

    def fit(self, x, y, epochs):
        for _ in range(epochs):
            self.optim.zero_grad()
            loss = self.loss_fn(self.model(x), y)
            loss.backward()
            self.optim.step()
        return loss.item()


x = torch.randn(32, 8)
print(Trainer(nn.Sequential(MoE(), nn.Linear(8, 2)), 1e-2).fit(x, x[:, :2] * x[:, 2:4], 12))
