"""A mean over nothing that is only printed, or left out by the loop."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    x, y = torch.randn(6, 5), torch.randint(0, 3, (6,))
    rare = (torch.rand(6) < 0.1).float()
    each = F.cross_entropy(model(x), y, reduction="none")
    print((each * rare).sum().item() / max(1, rare.sum().item()), ((each * rare).sum() / rare.sum()).item())
    optimizer.zero_grad()
    each.mean().backward()
    optimizer.step()
