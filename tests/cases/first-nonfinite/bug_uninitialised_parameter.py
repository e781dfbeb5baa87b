"""A parameter keeps what torch.empty happened to give; here it is filled with infinity so that the test is certain."""
import torch
from torch import nn

torch.manual_seed(0)


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.gain = nn.Parameter(torch.full((3,), float("inf")))  # <- cause

    def forward(self, x):
        return self.layer(x) * self.gain


model = Scale()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)
for step in range(5):
    loss = (model(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
