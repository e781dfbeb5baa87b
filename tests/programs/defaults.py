"""Default device and default dtype set for the whole program; float64 throughout, without an argument anywhere."""

import torch
from torch import nn

torch.set_default_device("cpu")
torch.set_default_dtype(torch.float64)
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 1))
optimizer = torch.optim.Rprop(model.parameters(), lr=0.01)
x = torch.randn(32, 4)
y = torch.tensor([[float(row.sum())] for row in x])
for step in range(8):
    loss = nn.functional.huber_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), loss.dtype)
with torch.device("meta"):
    print(torch.empty(3).device)
torch.set_default_device(None)
