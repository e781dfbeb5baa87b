"""Weights of tasks, perplexity, a loss over its own size, moments: one number on purpose."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
body, a, b = nn.Linear(6, 16), nn.Linear(16, 3), nn.Linear(16, 1)
log_var = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([*body.parameters(), *a.parameters(), *b.parameters(), log_var], lr=1e-3)
for step in range(12):
    x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
    h = body(x).relu()
    ce, mse = F.cross_entropy(a(h), y), F.mse_loss(b(h), x[:, :1])
    perplexity = torch.exp(ce)
    tasks = torch.stack([ce, mse])
    loss = (torch.exp(-log_var) * tasks + log_var).sum()
    loss = loss + ce / ce.detach() + torch.sqrt(mse) + (h.mean() - 0.5) ** 2
    loss = loss + (mse * torch.exp(-mse.detach()))
    spread = b(h).squeeze(1)
    loss = loss + ((spread - spread.mean()) / (spread.std() + 1)).pow(2).mean()
    if step % 4 == 0:
        print(perplexity.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
