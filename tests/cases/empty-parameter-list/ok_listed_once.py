"""The generator is made a list before it is used twice; the optimizer of a frozen part gets nothing and is not made."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
parameters = list(model.parameters())
print(sum(p.numel() for p in parameters), "weights")
optimizer = torch.optim.Adam(parameters, lr=1e-2)
x = torch.randn(32, 4)
for step in range(12):
    loss = (model(x) - x.mean(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
