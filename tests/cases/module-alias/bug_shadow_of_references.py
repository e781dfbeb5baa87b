"""The shadow weights of an average are the live ones."""

import torch
from torch import nn

torch.manual_seed(0)


class Average:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = {name: value for name, value in model.state_dict().items()}  # <- cause

    @torch.no_grad()
    def update(self, model):
        for name, value in model.state_dict().items():
            self.shadow[name].mul_(self.decay).add_(value, alpha=1 - self.decay)  # <- cause


model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
average = Average(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(200, 6)
for step in range(20):
    idx = torch.randint(0, 200, (16,))
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x[idx]), x[idx, :1].abs()).backward()
    optimizer.step()
    average.update(model)
