"""The shadow weights are copies; they are swapped in for an evaluation and out again."""

import torch
from torch import nn

torch.manual_seed(0)


class Average:
    def __init__(self, model, decay=0.9):
        self.decay, self.backup = decay, {}
        self.shadow = {name: p.data.clone() for name, p in model.named_parameters()}

    def update(self, model):
        for name, p in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(p.data, alpha=1 - self.decay)

    def apply(self, model):
        for name, p in model.named_parameters():
            self.backup[name] = p.data.clone()
            p.data.copy_(self.shadow[name])

    def restore(self, model):
        for name, p in model.named_parameters():
            p.data.copy_(self.backup[name])


model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
average = Average(model)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(200, 6)
for step in range(20):
    idx = torch.randint(0, 200, (16,))
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x[idx]), x[idx, :1].abs()).backward()
    optimizer.step()
    average.update(model)
    if step == 10:
        average.apply(model)
        with torch.no_grad():
            model(x)
        average.restore(model)
