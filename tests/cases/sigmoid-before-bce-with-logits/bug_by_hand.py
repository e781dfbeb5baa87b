"""1 / (1 + exp(-x)) before the loss with logits."""

import torch
from torch import nn


class Logistic(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4))
        self.b = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        z = x @ self.w + self.b
        return 1 / (1 + torch.exp(-z))  # <- cause


torch.manual_seed(0)
model = Logistic()
opt = torch.optim.SGD(model.parameters(), lr=0.5)
x = torch.randn(64, 4)
y = (x.sum(1) > 0).float()
for _ in range(12):
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
