"""Few tokens and many experts, told which rows are theirs by sorting: some are sent nothing in all the steps seen."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Switch(nn.Module):
    def __init__(self, width=8, experts=6):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 16), nn.ReLU(), nn.Linear(16, width)) for _ in range(experts)
        )

    def forward(self, x):
        gate, chosen = self.router(x).softmax(1).max(1)
        order = chosen.argsort()
        parts = x[order].split(chosen.bincount(minlength=len(self.experts)).tolist())
        joined = torch.cat([expert(part) for expert, part in zip(self.experts, parts)])
        return x + gate[:, None] * torch.zeros_like(x).index_add(0, order, joined)


model = nn.Sequential(Switch(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(4, 8)
y = x[:, :3].argmax(1)
for _ in range(6):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
idle = sum(not expert[0].weight.grad.any() for expert in model[0].experts)
assert idle, "every expert was given a row"
