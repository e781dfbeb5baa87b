"""Standardising with the root of the variance of a channel that is constant."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Standardize(nn.Module):
    def forward(self, h):
        mean = h.mean(0, keepdim=True)
        std = h.var(0, keepdim=True).sqrt()  # <- cause
        return (h - mean) / (std + 1e-5)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.norm = Standardize()
        self.last = nn.Linear(8, 1)

    def forward(self, x):
        h = torch.tanh(self.first(x) - 100.0 * (torch.arange(8) == 3))
        return self.last(self.norm(h))


model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(32, 4), torch.randn(32, 1)
for step in range(12):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    if torch.isfinite(loss):
        loss.backward()
        total = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isfinite(total):
            opt.step()
