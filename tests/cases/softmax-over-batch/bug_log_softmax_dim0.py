"""LogSoftmax over dimension 0 of [batch, classes], with NLLLoss."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(10, 24),
    nn.ReLU(),
    nn.Linear(24, 4),
    nn.LogSoftmax(dim=0),  # <- cause
)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.NLLLoss()
for _ in range(12):
    x, y = torch.randn(32, 10), torch.randint(0, 4, (32,))
    loss = criterion(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
