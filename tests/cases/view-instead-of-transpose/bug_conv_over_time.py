"""A convolution over time wants [batch, features, time]; reshape gives it the sizes, not the order."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 6)
        self.conv = nn.Conv1d(6, 8, 3, padding=1)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        h = self.project(x).relu()
        h = h.reshape(h.shape[0], 6, -1)  # <- cause
        return self.head(self.conv(h).relu().mean(2))


model = Net()
opt = torch.optim.Adam(model.parameters())
for _ in range(6):
    x = torch.randn(16, 20, 3)
    y = (x[:, 1:] * x[:, :-1]).mean((1, 2)).unsqueeze(1)
    opt.zero_grad()
    ((model(x) - y) ** 2).mean().backward()
    opt.step()
print("done")
