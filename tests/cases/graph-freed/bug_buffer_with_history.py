"""A running mean in a buffer keeps the graph of every batch that went into it."""
import torch
from torch import nn

torch.manual_seed(0)


class Centred(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(5, 5)
        self.register_buffer("mean", torch.zeros(5))

    def forward(self, x):
        h = self.layer(x).exp()
        self.mean = 0.9 * self.mean + 0.1 * h.mean(0)  # <- cause
        return h - self.mean


model = Centred()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(5):
    loss = model(torch.randn(16, 5)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
