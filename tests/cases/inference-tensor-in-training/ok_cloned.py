"""The same with no_grad, and with inference_mode and a clone outside of it."""
import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(6, 8), nn.Linear(8, 2)
backbone.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
x = torch.randn(32, 6)
y = (x.sum(1) > 0).long()
with torch.no_grad():
    first = torch.relu(backbone(x))
with torch.inference_mode():
    second = torch.relu(backbone(x))
second = second.clone()
for step in range(12):
    loss = nn.functional.cross_entropy(head(first if step % 2 else second), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
