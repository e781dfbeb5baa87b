"""The same writes under no_grad, and through torch.nn.init."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 1)
nn.init.uniform_(model.weight, 0, 0.5)
with torch.no_grad():
    model.bias.zero_()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.rand(32, 6)
y = x.sum(1, keepdim=True)
for step in range(12):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        model.weight.clamp_(min=0.0)
