"""[N, K] with [N, 1] and [K], where K happens to be the batch size."""
import torch
import torch.nn as nn

torch.manual_seed(0)
K = 16
heads = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, K))
offset = nn.Parameter(torch.zeros(K))
scale = nn.Parameter(torch.ones(1, K))
levels = (torch.arange(K) + 0.5) / K
optimizer = torch.optim.Adam([*heads.parameters(), offset, scale], lr=1e-3)
for step in range(12):
    x = torch.randn(K, 4)
    y = x.sum(1, keepdim=True)
    error = y - (heads(x) * scale + offset)
    pinball = torch.maximum(levels * error, (levels - 1) * error).mean()
    theta = heads(x)
    td = theta.detach().unsqueeze(1) - theta.unsqueeze(2)
    huber = torch.where(td.abs() < 1, 0.5 * td**2, td.abs() - 0.5)
    quantile = ((levels.view(1, -1, 1) - (td.detach() < 0).float()).abs() * huber).sum(2).mean()
    loss = pinball + 0.1 * quantile
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
