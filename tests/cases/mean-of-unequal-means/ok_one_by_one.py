"""A step after every batch, however long it is; and two losses of their own size in one step."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
body, a, b = nn.Linear(4, 16), nn.Linear(16, 3), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*body.parameters(), *a.parameters(), *b.parameters()], lr=1e-3)
for step in range(12):
    n = 2 if step % 2 else 64
    x, y = torch.randn(n, 4), torch.randint(0, 3, (n,))
    F.cross_entropy(a(body(x).relu()), y).backward()
    extra = torch.randn(64, 4)
    F.mse_loss(b(body(extra).relu()), extra[:, :1]).backward()
    optimizer.step()
    optimizer.zero_grad()
