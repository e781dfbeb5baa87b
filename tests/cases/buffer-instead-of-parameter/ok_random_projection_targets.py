"""Random network distillation with a random projection: prediction targets, detached by nature."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class RND(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("target_w", torch.randn(6, 10))
        self.predictor = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 10))

    def forward(self, obs):
        with torch.no_grad():
            target = torch.tanh(obs @ self.target_w)
        return (self.predictor(obs) - target).pow(2).mean()


rnd = RND()
opt = torch.optim.Adam(rnd.parameters(), 1e-2)
for _ in range(12):
    loss = rnd(torch.randn(32, 6))
    opt.zero_grad()
    loss.backward()
    opt.step()
