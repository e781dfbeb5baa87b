"""One mask tensor is refilled for every layer, while the multiplications have saved it."""
import torch
from torch import nn

torch.manual_seed(0)


class DropNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 6) for _ in range(3)])
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        mask = torch.empty(x.shape)
        for layer in self.layers:
            mask.bernoulli_(0.8)  # <- cause
            x = torch.tanh(layer(x)) * mask
        return self.out(x)


model = DropNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs, targets = torch.randn(20, 6), torch.randn(20, 1)
for epoch in range(3):
    loss = (model(inputs) - targets).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
