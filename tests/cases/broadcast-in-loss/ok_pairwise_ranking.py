"""Pairs on purpose: RankNet, a kernel, attention scores of a graph, hinge over all negatives."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
score = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
embed = nn.Linear(5, 4)
left, right = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*score.parameters(), *embed.parameters(), *left.parameters(), *right.parameters()], lr=1e-3)
for step in range(12):
    x = torch.randn(12, 5)
    relevance = x[:, 0]
    s = score(x).squeeze(1)
    difference = s.unsqueeze(1) - s.unsqueeze(0)
    order = torch.sign(relevance[:, None] - relevance[None, :])
    rank = F.softplus(-difference * order).mean()
    column = s.unsqueeze(1)
    spread = torch.exp(-((column - s) ** 2)).mean()
    z = embed(x)
    square = (z**2).sum(1, keepdim=True)
    distance = square + (z**2).sum(1) - 2 * z @ z.t()
    attention = F.leaky_relu(left(z) + right(z).t()).softmax(1)
    mixed = attention @ z
    loss = rank + 0.1 * spread + 0.01 * distance.mean() + (mixed - z).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
