"""A softmax over the batch, compared with one-hot targets by a squared error."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(10, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(12):
    x, y = torch.randn(32, 10), torch.randint(0, 4, (32,))
    p = torch.softmax(model(x), 0)  # <- cause
    loss = F.mse_loss(p, F.one_hot(y, 4).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
