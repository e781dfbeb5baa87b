"""Infinite numbers within the forward pass (masked attention), and one batch without a valid target."""
import torch
from torch import nn

torch.manual_seed(0)
query, value = nn.Linear(4, 4), nn.Linear(4, 2)
optimizer = torch.optim.SGD([*query.parameters(), *value.parameters()], lr=0.1)
mask = torch.full((6, 6), float("-inf")).triu(1)
for step in range(14):
    x = torch.randn(6, 4)
    weights = torch.softmax(query(x) @ x.T + mask, dim=-1)
    target = (x.cumsum(0)[:, 0] > 0).long()
    if step == 5:
        target = torch.full_like(target, -100)
    loss = nn.functional.cross_entropy(weights @ value(x), target)
    optimizer.zero_grad()
    if torch.isfinite(loss):
        loss.backward()
        optimizer.step()
